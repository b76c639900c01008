import type { IEditorLanguageRegistry } from '@jupyterlab/codemirror';

import type { FindParser } from '../../colours/highlighter';

type Languages = Pick<
  IEditorLanguageRegistry,
  'findByName' | 'findByExtension' | 'findByFileName' | 'getLanguage'
>;

/** The parsers of JupyterLab's editor, which are loaded on first use. */
export function parsersOf(languages: Languages): FindParser {
  return async language => {
    const found =
      languages.findByName(language.toLowerCase()) ??
      languages.findByExtension(language.toLowerCase()) ??
      languages.findByFileName(language);
    const loaded = found === null ? null : await languages.getLanguage(found);
    return loaded?.support?.language.parser ?? null;
  };
}
