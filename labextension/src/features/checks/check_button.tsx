import { PageConfig } from '@jupyterlab/coreutils';

import { serverPath } from '../../lab/page/paths';
import type { Addition } from '../../views/additions';
import { useScene } from '../../views/scene';

/** The button in the head of a review. */
export function checkButton(check: (path: string) => void): NonNullable<Addition['reviewHead']> {
  return ({ notebook }) => {
    const { store, t } = useScene();
    const onClick = () => {
      const { session } = store.view;
      const path = session && serverPath(PageConfig.getOption('serverRoot'), session, notebook);
      if (path !== null) {
        check(path);
      }
    };
    return (
      <button
        type="button"
        class="btn quiet small"
        title={t('Run a copy of the notebook in a second kernel and compare the outputs')}
        onClick={onClick}
      >
        {t('Check the notebook')}
      </button>
    );
  };
}
