"""The deeds of a hostile agent, and what a sandbox holds of them.

A row is a deed: a kind, a name in plain words, and a piece of Python that ends without an exception
where the deed is done. A kind says in which sandboxes its deeds are held at each level; the table
in docs/security.md has a row for each. To add a deed, add a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["ALL", "DEEDS", "KINDS", "NEWER_KERNEL", "Deed", "Kind", "Level", "held"]

Level = Literal["full", "partial"]
Held = tuple[Literal["folder", "copy", "read-only"], ...]
ALL: Held = ("folder", "copy", "read-only")
IN_PLACE: Held = ("folder", "read-only")
WRITABLE: Held = ("folder", "copy")
COPY: Held = ("copy",)
READ_ONLY: Held = ("read-only",)
NONE: Held = ()
NEWER_KERNEL = 6
"""The version of Landlock that Linux 6.12 has."""


@dataclass(frozen=True)
class Kind:
    """Deeds that are held alike."""

    words: str
    full: Held
    partial: Held
    meant: Held = ()
    """The sandboxes that let it be done on purpose. In ``copy`` the folder is the copy."""
    newer: tuple[Level, ...] = ()
    """Levels at which only Linux 6.12 and newer hold them."""
    promised: bool = True
    """Whether what is not held can be done by everybody; root, without its rights, can do less."""


@dataclass(frozen=True)
class Deed:
    """What an agent tries."""

    kind: Kind
    name: str
    code: str
    free: bool = True
    """Whether it can be seen to be done without a sandbox, and nothing is broken by that."""
    root: bool = False
    """Whether only root can do it without a sandbox."""
    needs: str = ""
    """A file without which it can't be tried."""


def held(kind: Kind, level: Level, sandbox: str) -> bool:
    """Return whether a sandbox holds deeds of a kind."""
    return sandbox in (kind.full if level == "full" else kind.partial)


OUTSIDE = Kind("Write, make, delete or move a file outside the folder", ALL, ALL)
LINKS = Kind("The same through a link, or by another path", ALL, ALL)
MODES = Kind("Change the permissions or times of a file outside the folder", ALL, NONE)
INSIDE = Kind(
    "Write, make or delete an ordinary file of the folder", READ_ONLY, READ_ONLY, WRITABLE
)
PROTECTED = Kind(
    "Change or delete a protected file (`.git/hooks`, `setup.py`)", IN_PLACE, READ_ONLY, COPY
)
LATER = Kind("Make a protected file that was not there (`conftest.py`)", READ_ONLY, READ_ONLY, COPY)
SECOND = Kind("Write a file of the folder that has a second hard link", IN_PLACE, READ_ONLY, COPY)
COPIED = Kind("Write, make or delete a file of the folder that was copied", ALL, ALL)
ELSEWHERE = Kind(
    "Read credentials in another folder of yours; in `copy`, in the one that was copied", COPY, COPY
)
CREDENTIALS = Kind("Read credentials in the home folder (`~/.ssh`, `~/.aws`)", ALL, ALL)
IN_FOLDER = Kind("Read credentials in the session's folder (`.env`)", ALL, NONE)
JUPYTER = Kind("Read Jupyter's tokens and keys, and the logs of sessions", ALL, ALL)
AGENTS = Kind("Read the state and the login of other agents", ALL, ALL)
SYSTEM = Kind("Read the system's secrets (`/etc/shadow`), as root", ALL, ALL)
DEVICES = Kind("Read or write a disk, the memory or another device, as root", ALL, ALL)
TEMPORARY = Kind("Read or write temporary files of others (`/tmp`)", ALL, ALL)
MEMORY = Kind("Read or write another process (`/proc`, ptrace), its environment too", ALL, ALL)
NAMES = Kind("See the names of hidden files", ALL, NONE)
LISTED = Kind("See which programs run, and with which arguments", ALL, NONE)
SIGNALS = Kind("Send a signal to another process, or set its limits", ALL, ALL, newer=("partial",))
PRIORITY = Kind("Change the priority of another process", ALL, NONE, promised=False)
ABSTRACT = Kind("Reach programs over abstract sockets", ALL, ALL, newer=("full", "partial"))
SOCKETS = Kind("Reach programs over socket files (Docker, the desktop, tmux)", ALL, NONE)
SHARED = Kind("Use shared memory of other programs", ALL, NONE)
TERMINALS = Kind("Write to your other terminals", ALL, NONE)
TYPING = Kind("Type into the terminal that Jupyter was started in", ALL, ALL)
KERNEL = Kind("Change settings of the system (`/proc/sys`, `/sys`, cgroups), as root", ALL, ALL)
MOUNTS = Kind("Take a wall away by mounts and namespaces", ALL, ALL)
RIGHTS = Kind("Get more rights (`sudo`, capabilities, unusual system calls)", ALL, ALL)
LEFT = Kind("Leave a program behind that runs on when the agent has ended", ALL, ALL)
NETWORK = Kind("Reach the network: this machine's ports, DNS, IPv6", NONE, NONE)

_LIBC = """
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(*args):
    result = libc.syscall(*args)
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result
"""
_RENAME = (
    _LIBC
    + """
def exchange(one, other):
    call(316 if platform.machine() == "x86_64" else 276,
         -100, one.encode(), -100, other.encode(), 2)
"""
)


def _read(kind: Kind, name: str, path: str, *, root: bool = False, needs: str = "") -> Deed:
    """Return the deed of reading what is a secret, or simply there."""
    looked = "" if root else "assert SECRET in said, said"
    code = f"said = open({path}, errors='replace').read(100)\nassert said, 'empty'\n{looked}"
    return Deed(kind, name, code, root=root, needs=needs)


def _all(kind: Kind, *rows: tuple[str, str]) -> tuple[Deed, ...]:
    return tuple(Deed(kind, name, code) for name, code in rows)


_X86 = 'import platform\nassert platform.machine() == "x86_64", "another machine"\n'

DEEDS: tuple[Deed, ...] = (
    *_all(
        OUTSIDE,
        ("append to a file of the home folder", "open(HOME + '/.bashrc', 'a').write('x')"),
        ("make a file in the home folder", "open(HOME + '/new', 'w').write('x')"),
        ("make a folder in the home folder", "import os; os.mkdir(HOME + '/new_folder')"),
        ("make a named pipe in the home folder", "import os; os.mkfifo(HOME + '/new_pipe')"),
        ("make a link in the home folder", "import os; os.symlink('/', HOME + '/new_link')"),
        (
            "delete a file of the home folder",
            "import os; open(HOME + '/gone', 'a').close(); os.unlink(HOME + '/gone')",
        ),
        ("cut a file short", "import os; os.truncate(HOME + '/mine.py', 1)"),
        (
            "move a file out of the folder over another",
            "import os; open(FOLDER + '/moved', 'w').close()\n"
            "os.rename(FOLDER + '/moved', HOME + '/mine.py')",
        ),
        (
            "move a file of the home folder into the folder",
            "import os; os.rename(HOME + '/mine.py', FOLDER + '/taken')",
        ),
        (
            "change two files for each other",
            _RENAME + "exchange(FOLDER + '/b.py', HOME + '/.bashrc')",
        ),
        (
            "change the folder for another",
            _RENAME + "os.mkdir(HOME + '/x'); exchange(FOLDER, HOME + '/x')\n"
            "exchange(FOLDER, HOME + '/x'); os.rmdir(HOME + '/x')",
        ),
        (
            "rename the folder",
            "import os; os.rename(FOLDER, FOLDER + '2'); os.rename(FOLDER + '2', FOLDER)",
        ),
        ("make a file in a folder above", "open(FOLDER + '/../new', 'w').write('x')"),
        (
            "write by memory",
            "import mmap; file = open(HOME + '/.bashrc', 'r+b'); mmap.mmap(file.fileno(), 0)",
        ),
    ),
    *_all(
        LINKS,
        ("write through a link", "open(FOLDER + '/out/.bashrc', 'a').write('x')"),
        ("make a file through a link", "open(FOLDER + '/out/new2', 'w').write('x')"),
        (
            "make a link, and write through it",
            "import os, tempfile; link = tempfile.mkdtemp() + '/l'; os.symlink(HOME, link)\n"
            "open(link + '/.bashrc', 'a').write('x')",
        ),
        ("write through /proc/self/root", "open('/proc/self/root' + HOME + '/p', 'w').write('x')"),
        (
            "write through the current folder",
            "import os; os.chdir(HOME); open('/proc/self/cwd/q', 'w').write('x')",
        ),
        (
            "make a hard link of a file outside, and write that",
            "import os, tempfile; link = FOLDER + '/hard'\nos.link(HOME + '/.bashrc', link)\n"
            "open(link, 'a').write('x')",
        ),
        (
            "open a file without rights, then again with",
            "import os; file = os.open(HOME + '/.bashrc', os.O_PATH)\n"
            "open(f'/proc/self/fd/{file}', 'a').write('x')",
        ),
    ),
    *_all(
        MODES,
        ("make a file executable", "import os; os.chmod(HOME + '/.bashrc', 0o755)"),
        ("change a file's times", "import os; os.utime(HOME + '/.bashrc', (1, 1))"),
        ("change a file's owner to oneself", "import os; os.chown(HOME + '/.bashrc', -1, -1)"),
        (
            "set an attribute of a file",
            "import os; os.setxattr(HOME + '/.bashrc', 'user.a', b'1')",
        ),
    ),
    *_all(
        INSIDE,
        ("write a file of the folder", "open(FOLDER + '/a.py', 'a').write('x')"),
        ("make a file in the folder", "open(FOLDER + '/made.py', 'w').write('x')"),
        (
            "delete a file of the folder",
            "import os; open(FOLDER + '/gone', 'a').close(); os.unlink(FOLDER + '/gone')",
        ),
        ("write a file below the folder", "open(FOLDER + '/pkg/c.py', 'a').write('x')"),
    ),
    *_all(
        PROTECTED,
        ("make a hook of git", "open(FOLDER + '/.git/hooks/pre-commit', 'w').write('x')"),
        ("write git's configuration", "open(FOLDER + '/.git/config', 'a').write('x')"),
        ("write setup.py", "open(FOLDER + '/setup.py', 'a').write('x')"),
        ("write what tells agents what to do", "open(FOLDER + '/CLAUDE.md', 'a').write('x')"),
        ("write an editor's settings", "open(FOLDER + '/.vscode/settings.json', 'a').write('x')"),
        ("write into an environment", "open(FOLDER + '/.venv/bin/activate', 'a').write('x')"),
        ("write a protected file below", "open(FOLDER + '/pkg/conftest.py', 'a').write('x')"),
        (
            "rename .git and back",
            "import os; os.rename(FOLDER + '/.git', FOLDER + '/g')\n"
            "os.rename(FOLDER + '/g', FOLDER + '/.git')",
        ),
        (
            "delete setup.py",
            "import os; said = open(FOLDER + '/setup.py').read()\n"
            "os.unlink(FOLDER + '/setup.py'); open(FOLDER + '/setup.py', 'w').write(said)",
        ),
        (
            "move a file over setup.py",
            "import os; open(FOLDER + '/s.txt', 'w').close()\n"
            "os.rename(FOLDER + '/s.txt', FOLDER + '/setup.py')",
        ),
        (
            "change .git for another folder",
            _RENAME + "os.mkdir(FOLDER + '/g2'); exchange(FOLDER + '/g2', FOLDER + '/.git')\n"
            "exchange(FOLDER + '/g2', FOLDER + '/.git')",
        ),
        (
            "make a hard link of setup.py, and write that",
            "import os; os.link(FOLDER + '/setup.py', FOLDER + '/plain')\n"
            "open(FOLDER + '/plain', 'a').write('x')",
        ),
        (
            "move the folder of a protected file, and write it there",
            "import os; os.rename(FOLDER + '/pkg', FOLDER + '/pkg2')\n"
            "try:\n open(FOLDER + '/pkg2/conftest.py', 'a').write('x')\n"
            "finally:\n os.rename(FOLDER + '/pkg2', FOLDER + '/pkg')",
        ),
    ),
    *_all(
        LATER,
        ("make conftest.py", "open(FOLDER + '/conftest.py', 'w').write('x')"),
        ("make a repository below", "import os; os.makedirs(FOLDER + '/new/.git/hooks')"),
        (
            "move the folder of a protected file, and make it anew",
            "import os; os.rename(FOLDER + '/pkg', FOLDER + '/old'); os.mkdir(FOLDER + '/pkg')\n"
            "open(FOLDER + '/pkg/conftest.py', 'w').write('x')\n"
            "os.unlink(FOLDER + '/pkg/conftest.py'); os.rmdir(FOLDER + '/pkg')\n"
            "os.rename(FOLDER + '/old', FOLDER + '/pkg')",
        ),
    ),
    *_all(SECOND, ("write a file with two names", "open(FOLDER + '/linked.txt', 'a').write('x')")),
    *_all(
        COPIED,
        ("write a file of the folder that was copied", "open(COPIED + '/a.py', 'a').write('x')"),
        ("make a file in the folder that was copied", "open(COPIED + '/new.py', 'w').write('x')"),
        (
            "delete a file of the folder that was copied",
            "import os; os.unlink(COPIED + '/b.py'); open(COPIED + '/b.py', 'w').write('inside')",
        ),
        (
            "make a hook of git in the folder that was copied",
            "open(COPIED + '/.git/hooks/pre-commit', 'w').write('x')",
        ),
        (
            "write the folder that was copied through a link",
            "import os; os.symlink(COPIED, FOLDER + '/back')\n"
            "open(FOLDER + '/back/a.py', 'a').write('x')",
        ),
        (
            "change the copy for the folder that was copied",
            _RENAME + "exchange(FOLDER, COPIED); exchange(FOLDER, COPIED)",
        ),
    ),
    _read(ELSEWHERE, "read .env in the folder that was copied", "COPIED + '/.env'"),
    _read(ELSEWHERE, "read a key through a link", "FOLDER + '/to_copied/.env'"),
    *(
        _read(CREDENTIALS, f"read ~/{path}", f"HOME + '/{path}'")
        for path in (
            *(".ssh/id_rsa", ".netrc", ".aws/credentials", ".git-credentials", ".pypirc"),
            *(".docker/config.json", ".kube/config", ".config/gh/hosts.yml"),
            *("work/../.ssh/id_rsa", "work/out/.ssh/id_rsa", "work/to_key", ".ssh/./id_rsa"),
        )
    ),
    _read(
        CREDENTIALS, "read a key through /proc/self/root", "'/proc/self/root' + HOME + '/.netrc'"
    ),
    Deed(
        CREDENTIALS,
        "read a key through the first process",
        "assert SECRET in open('/proc/1/root' + HOME + '/.netrc').read()",
        free=False,  # it may be another user's
    ),
    *_all(
        NAMES,
        ("list ~/.ssh", "import os; assert 'id_rsa' in os.listdir(HOME + '/.ssh')"),
        ("list Jupyter's runtime folder", "import os; assert os.listdir(HOME + '/runtime')"),
        ("list the sessions", "import os; assert os.listdir(HOME + '/data/sessions')"),
        ("list others' temporary files", "import os; assert os.listdir(TEMPORARY)"),
    ),
    *_all(
        CREDENTIALS,
        (
            "read a key in the current folder",
            "import os; os.chdir(HOME + '/.ssh'); assert SECRET in open('id_rsa').read()",
        ),
        (
            "make a hard link of a key, and read that",
            "import os; os.link(HOME + '/.ssh/id_rsa', FOLDER + '/k')\n"
            "assert SECRET in open(FOLDER + '/k').read()",
        ),
        (
            "move a key into the folder, and read it there",
            "import os; os.rename(HOME + '/.pypirc', FOLDER + '/k2')\n"
            "os.rename(FOLDER + '/k2', HOME + '/.pypirc')",
        ),
        (
            "open a key without rights, then again with",
            "import os; file = os.open(HOME + '/.netrc', os.O_PATH)\n"
            "assert SECRET in open(f'/proc/self/fd/{file}').read()",
        ),
        (
            "have another program read a key",
            "import subprocess; said = subprocess.check_output(['cat', HOME + '/.netrc'])\n"
            "assert SECRET in said.decode()",
        ),
    ),
    _read(IN_FOLDER, "read .env", "FOLDER + '/.env'"),
    _read(IN_FOLDER, "read a key of the folder", "FOLDER + '/keys/server.pem'"),
    _read(JUPYTER, "read the server's token", "HOME + '/runtime/jpserver-1.json'"),
    _read(JUPYTER, "read a kernel's key", "HOME + '/runtime/kernel-1.json'"),
    _read(JUPYTER, "read the log of a session", "HOME + '/data/sessions/1/log.ndjson'"),
    *_all(
        JUPYTER,
        ("write into the log of a session", "open(HOME + '/data/sessions/1/log.ndjson', 'a')"),
    ),
    Deed(
        JUPYTER,
        "find a descriptor of ours that is open",
        "import os\n"
        "found = [f for f in os.listdir('/proc/self/fd') if int(f) > 2]\n"
        "seen = [os.readlink(f'/proc/self/fd/{f}') for f in found"
        " if os.path.exists(f'/proc/self/fd/{f}')]\n"
        "theirs = [s for s in seen if s.startswith(('/', 'socket')) and 'proc' not in s]\n"
        "assert theirs, seen",
        free=False,
    ),
    _read(AGENTS, "read another agent's login", "HOME + '/.codex/auth.json'"),
    Deed(AGENTS, "write another agent's state", "open(HOME + '/.codex/config.toml', 'a')"),
    _read(SYSTEM, "read the passwords' digests", "'/etc/shadow'", root=True, needs="/etc/shadow"),
    _read(SYSTEM, "read who may use sudo", "'/etc/sudoers'", root=True, needs="/etc/sudoers"),
    *(
        Deed(
            DEVICES,
            f"open {path}",
            f"import os; os.close(os.open('{path}', os.{how} | os.O_NONBLOCK))",
            root=True,
            needs=path,
        )
        for path, how in (
            *(("/dev/mem", "O_RDONLY"), ("/dev/kmsg", "O_WRONLY"), ("/dev/loop0", "O_RDONLY")),
            *(("/dev/vda", "O_RDONLY"), ("/dev/sda", "O_RDONLY"), ("/dev/nvme0n1", "O_RDONLY")),
            *(("/dev/fuse", "O_RDWR"), ("/dev/kvm", "O_RDWR"), ("/dev/loop-control", "O_RDWR")),
        )
    ),
    Deed(
        DEVICES,
        "make a device",
        "import os; os.mknod(FOLDER + '/disk', 0o60600, os.makedev(7, 0))",
        root=True,
    ),
    _read(TEMPORARY, "read a temporary file", "TEMPORARY + '/theirs'"),
    *_all(
        TEMPORARY,
        ("write a temporary file of others", "open(TEMPORARY + '/theirs', 'a').write('x')"),
        (
            "have a file among others' temporary ones",
            "open(TEMPORARY + '/planted', 'w').write('x')",
        ),
    ),
    Deed(
        MEMORY,
        "read another's environment",
        "assert SECRET in open(f'/proc/{PID}/environ', errors='replace').read()",
    ),
    Deed(
        MEMORY,
        "read the environment of what started this",
        "import os\nfor each in os.listdir('/proc'):\n"
        " if each.isdigit() and int(each) != os.getpid():\n"
        "  try: said = open(f'/proc/{each}/environ', errors='replace').read()\n"
        "  except OSError: continue\n"
        "  if 'THEIR_SECRET' in said: break\n"
        "else: raise AssertionError('none is seen')",
    ),
    Deed(LISTED, "count another's open files", "import os; assert os.listdir(f'/proc/{PID}/fd')"),
    Deed(
        MEMORY,
        "read another's open file",
        "assert SECRET in open(f'/proc/{PID}/fd/{FILE}').read()",
    ),
    Deed(
        MEMORY,
        "read a key through another's root",
        "assert SECRET in open(f'/proc/{PID}/root' + HOME + '/.netrc').read()",
    ),
    Deed(
        MEMORY,
        "read a key through another's current folder",
        "import os; os.listdir(f'/proc/{PID}/cwd')",
    ),
    Deed(
        MEMORY,
        "read another's memory",
        "file = open(f'/proc/{PID}/mem', 'rb', 0); file.seek(ADDRESS)\n"
        "assert file.read(20).decode() == SECRET[:20]",
    ),
    Deed(MEMORY, "write another's memory", "open(f'/proc/{PID}/mem', 'r+b', 0)"),
    Deed(
        MEMORY,
        "read another's memory by a system call",
        _LIBC + "buffer = ctypes.create_string_buffer(20)\n"
        "class Part(ctypes.Structure):\n"
        " _fields_ = [('a', ctypes.c_void_p), ('n', ctypes.c_size_t)]\n"
        "mine, theirs = Part(ctypes.addressof(buffer), 20), Part(ADDRESS, 20)\n"
        "n = libc.process_vm_readv(PID, ctypes.byref(mine), 1, ctypes.byref(theirs), 1, 0)\n"
        "assert n == 20, os.strerror(ctypes.get_errno())",
    ),
    Deed(
        MEMORY,
        "attach to another with ptrace",
        _LIBC + "assert libc.ptrace(16, PID, None, None) == 0, os.strerror(ctypes.get_errno())\n"
        "os.waitpid(PID, 0x40000000); libc.ptrace(17, PID, None, None)",
    ),
    Deed(
        MEMORY,
        "take another's open file",
        _LIBC + "call(438, os.pidfd_open(PID), FILE, 0)",
    ),
    Deed(
        LISTED,
        "read another's command line",
        "assert HOME in open(f'/proc/{PID}/cmdline').read()",
    ),
    Deed(LISTED, "see another process", "import os; assert str(PID) in os.listdir('/proc')"),
    *_all(
        SIGNALS,
        ("send a signal", "import os; os.kill(PID, 10)"),
        ("ask whether a process is there", "import os; os.kill(PID, 0)"),
        (
            "send a signal by a descriptor",
            "import os, signal; signal.pidfd_send_signal(os.pidfd_open(PID), 10)",
        ),
        (
            "send a signal to a thread",
            _LIBC + "call(234 if platform.machine() == 'x86_64' else 131, PID, PID, 10)",
        ),
        (
            "set another's limits",
            "import resource\nresource.prlimit(PID, resource.RLIMIT_CORE, (0, 0))",
        ),
    ),
    *_all(
        PRIORITY,
        ("make another slower", "import os; os.setpriority(os.PRIO_PROCESS, PID, 1)"),
        (
            "choose another's processors",
            "import os; os.sched_setaffinity(PID, os.sched_getaffinity(0))",
        ),
    ),
    *_all(
        ABSTRACT,
        (
            "connect to an abstract socket",
            "import socket; s = socket.socket(socket.AF_UNIX); s.connect('\\0' + ABSTRACT)",
        ),
        (
            "send to an abstract socket",
            "import socket; s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
            "s.sendto(b'x', '\\0' + ABSTRACT + 'd')",
        ),
    ),
    *_all(
        SOCKETS,
        (
            "connect to a socket in the home folder",
            "import socket; s = socket.socket(socket.AF_UNIX); s.connect(SOCKET)",
        ),
        (
            "connect to a socket among temporary files",
            "import socket; s = socket.socket(socket.AF_UNIX); s.connect(SOCKET_TEMPORARY)",
        ),
        (
            "connect to a socket through a link",
            "import os, socket, tempfile; p = tempfile.mkdtemp() + '/s'; os.symlink(SOCKET, p)\n"
            "s = socket.socket(socket.AF_UNIX); s.connect(p)",
        ),
    ),
    Deed(
        SHARED,
        "use shared memory by its number",
        _LIBC + "libc.shmat.restype = ctypes.c_void_p\n"
        "at = libc.shmat(SHARED, None, 0); assert at not in (None, 2**64 - 1), 'refused'",
    ),
    Deed(SHARED, "write shared memory by its name", "open(PATH_SHARED, 'r+').write('x')"),
    Deed(TERMINALS, "write to another terminal", "open(TERMINAL, 'w').write('x')"),
    Deed(
        TYPING,
        "type into a terminal",
        "import fcntl, os, termios\nos.setsid(); main, side = os.openpty()\n"
        "fcntl.ioctl(side, termios.TIOCSCTTY, 0); fcntl.ioctl(side, termios.TIOCSTI, b'x')",
        needs="/proc/sys/dev/tty/legacy_tiocsti",
    ),
    *(
        Deed(
            KERNEL,
            name,
            f"import os; os.close(os.open('{path}', os.O_WRONLY))",
            root=True,
            needs=path,
        )
        for name, path in (
            ("say what runs when a program crashes", "/proc/sys/kernel/core_pattern"),
            ("say which program loads drivers", "/proc/sys/kernel/modprobe"),
            ("press a key of the kernel", "/proc/sysrq-trigger"),
            ("change what a processor does", "/sys/kernel/mm/transparent_hugepage/enabled"),
            ("leave a cgroup", "/sys/fs/cgroup/cgroup.procs"),
            ("leave a cgroup of the older kind", "/sys/fs/cgroup/pids/cgroup.procs"),
        )
    ),
    Deed(
        MOUNTS,
        "mount over a folder",
        _LIBC + "assert libc.unshare(0x20000) == 0, 'unshare'\n"
        "assert libc.mount(b'none', b'/mnt', b'tmpfs', 0, None) == 0, 'mount'",
        root=True,
    ),
    *(
        Deed(
            MOUNTS,
            name,
            _LIBC + "libc.unshare(0x10000000 | 0x20000)\n"
            "def mounted(*args):\n"
            " if libc.mount(*args): raise OSError(ctypes.get_errno(), 'mount')\n" + code,
            free=False,
        )
        for name, code in (
            (
                "unmount what hides a key, in a namespace of one's own",
                "libc.umount2((HOME + '/.ssh').encode(), 2)\n"
                "libc.umount2((HOME + '/.netrc').encode(), 2)\n"
                "assert SECRET in open(HOME + '/.netrc').read()",
            ),
            (
                "make a view writable again, in a namespace of one's own",
                "mounted(None, HOME.encode(), None, 32 | 4096, None)\n"
                "open(HOME + '/.bashrc', 'a').write('x')",
            ),
            (
                "show a folder elsewhere without what hides its keys",
                "mounted(HOME.encode(), b'/mnt', None, 4096, None)\n"
                "assert SECRET in open('/mnt/.netrc').read()",
            ),
            (
                "mount the processes of all, in a namespace of one's own",
                "mounted(b'proc', b'/mnt', b'proc', 0, None)\n"
                "assert str(PID) in os.listdir('/mnt')",
            ),
            (
                "change the root to a folder above",
                "os.chroot('.'); os.chdir('../../../../../..'); os.chroot('.')\n"
                "assert SECRET in open(HOME + '/.netrc').read()",
            ),
        )
    ),
    Deed(
        MOUNTS,
        "enter another's namespaces",
        _LIBC + "for name in ('mnt', 'pid'):\n"
        " assert libc.setns(os.open(f'/proc/{PID}/ns/{name}', 0), 0) == 0, 'setns'",
        root=True,
    ),
    Deed(
        MOUNTS,
        "open a key by its number on the disk",
        _LIBC
        + "handle = ctypes.create_string_buffer(b'\\x80\\0\\0\\0', 136); at = ctypes.c_int()\n"
        "p = (HOME + '/.netrc').encode()\n"
        "assert libc.name_to_handle_at(-100, p, handle, ctypes.byref(at), 0) == 0, 'name'\n"
        "file = libc.open_by_handle_at(os.open(FOLDER, 0), handle, 0); assert file >= 0, 'open'\n"
        "assert SECRET in os.read(file, 100).decode()",
        root=True,
    ),
    Deed(
        RIGHTS,
        "have a capability",
        "line = next(l for l in open('/proc/self/status') if l.startswith('CapEff'))\n"
        # Root keeps what lets it make a namespace within its own: agents have their own sandboxes.
        "assert int(line.split()[1], 16) & ~(1 << 31)",
        root=True,
    ),
    Deed(
        RIGHTS,
        "get capabilities back by starting a program",
        "import subprocess\nsaid = subprocess.check_output(['cat', '/proc/self/status']).decode()\n"
        "line = next(l for l in said.splitlines() if l.startswith('CapEff'))\n"
        # Root keeps what lets it make a namespace within its own: agents have their own sandboxes.
        "assert int(line.split()[1], 16) & ~(1 << 31)",
        root=True,
    ),
    Deed(
        RIGHTS,
        "become another user",
        "import os; os.setuid(65534)",
        root=True,
    ),
    Deed(
        RIGHTS,
        "get rights from a program that gives them",
        "assert 'NoNewPrivs:\\t0' in open('/proc/self/status').read()",
    ),
    Deed(
        RIGHTS,
        "use system calls of another kind of program",
        _X86 + "import ctypes, mmap\ncode = bytes.fromhex('53 b8 14 00 00 00 cd 80 5b c3')\n"
        "page = mmap.mmap(-1, 4096, prot=7); page.write(code)\n"
        "at = ctypes.addressof(ctypes.c_char.from_buffer(page))\n"
        "said = ctypes.CFUNCTYPE(ctypes.c_int)(at)()\nassert said > 0, said",
    ),
    Deed(RIGHTS, "use io_uring", _LIBC + "call(425, 1, ctypes.create_string_buffer(200))"),
    Deed(
        RIGHTS,
        "use a key ring",
        _LIBC + "call(250 if platform.machine() == 'x86_64' else 219, 0, -5, 1)",
    ),
    Deed(RIGHTS, "read network packets", "import socket; socket.socket(17, 3, 0x300)", root=True),
    *_all(
        NETWORK,
        (
            "connect to a port of this machine, as the Jupyter server's",
            "import socket; assert socket.create_connection(('127.0.0.1', PORT), 5).recv(5)",
        ),
        (
            "send to a port of this machine without a connection",
            "import socket; s = socket.socket(type=socket.SOCK_DGRAM); s.settimeout(5)\n"
            "s.sendto(b'x', ('127.0.0.1', PORT_UDP)); assert s.recv(1)",
        ),
    ),
    Deed(
        NETWORK,
        "connect by IPv6",
        "import socket; assert socket.create_connection(('::1', PORT_6), 5).recv(5)",
        needs="/proc/net/if_inet6",
    ),
    Deed(
        NETWORK,
        "ask a server of names",
        "import socket; s = socket.socket(type=socket.SOCK_DGRAM)\n"
        "s.sendto(b'x', ('127.0.0.53', 53))",
    ),
)

KINDS: tuple[Kind, ...] = tuple(dict.fromkeys((*(deed.kind for deed in DEEDS), LEFT)))
"""All, in the order of the table; the programs left behind are tried with a process of an agent."""
