#!/bin/sh
# Run the main browser journeys in JupyterLab's of other versions, each in an environment of its own.
# Usage: test-versions.sh [4.2 4.3 ...]
set -eu
cd "$(dirname "$0")/.."

# JupyterLab, and the oldest that it is declared to work with or what it came with.
packages() {
    case $1 in
    4.2) echo "jupyterlab==4.2.* notebook==7.2.* jupyter-server==2.13.* ipykernel==6.29.*" ;;
    4.3) echo "jupyterlab==4.3.* notebook==7.3.*" ;;
    4.4) echo "jupyterlab==4.4.* notebook==7.4.*" ;;
    4.5) echo "jupyterlab==4.5.* notebook==7.5.*" ;;
    *) echo "jupyterlab==$1.*" ;;
    esac
}

JOURNEYS="tests/e2e/test_turn_in_a_cell.py tests/e2e/test_panel.py tests/e2e/test_reload.py tests/e2e/test_review.py"
folder=build/versions
rm -rf "$folder/dist"
uv build --quiet --wheel --out-dir "$folder/dist"
[ $# -gt 0 ] || set -- 4.2 4.3 4.4 4.5
failed=""
for version; do
    environment=$PWD/$folder/$version
    # shellcheck disable=SC2046 # several packages
    uv venv --quiet --clear "$environment" &&
        uv pip install --quiet --python "$environment/bin/python" \
            $(packages "$version") "$folder"/dist/*.whl
    echo "JupyterLab $version"
    "$environment/bin/jupyter" labextension list 2>&1 | grep "acp-jupyter.*OK"
    # shellcheck disable=SC2086 # several files
    ACP_PYTHON=$environment/bin/python pytest -q $JOURNEYS || failed="$failed $version"
done
if [ -n "$failed" ]; then
    echo "Failed in JupyterLab:$failed"
    exit 1
fi
