import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IThemeManager } from '@jupyterlab/apputils';
import { IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { IMermaidManager } from '@jupyterlab/mermaid';
import { ILatexTypesetter } from '@jupyterlab/rendermime';
import { Token } from '@lumino/coreutils';

import { Highlighter } from '../../colours/highlighter';
import type { Rendering } from '../../views';
import { draw } from './diagram';
import { typeset } from './formula';
import { parsersOf } from './highlight';

export type IAcpRendering = Rendering;

export const IAcpRendering = new Token<IAcpRendering>(
  'acp-jupyter:IAcpRendering',
  'How code, formulas and diagrams in answers are drawn.',
);

/** JupyterLab's own renderers; large libraries are loaded on first use. */
export const renderingPlugin: JupyterFrontEndPlugin<IAcpRendering> = {
  id: 'acp-jupyter:rendering',
  description: 'Draws code, formulas and diagrams in answers.',
  autoStart: true,
  provides: IAcpRendering,
  optional: [IEditorLanguageRegistry, ILatexTypesetter, IMermaidManager, IThemeManager],
  activate: (
    _app: JupyterFrontEnd,
    languages: IEditorLanguageRegistry | null,
    typesetter: ILatexTypesetter | null,
    mermaid: IMermaidManager | null,
    themes: IThemeManager | null,
  ) => {
    const highlighter = languages === null ? null : new Highlighter(parsersOf(languages));
    return {
      ...(highlighter === null
        ? {}
        : {
            highlight: (text: string, language: string) => highlighter.highlight(text, language),
            lines: (text: string, path: string) => highlighter.lines(text, path),
          }),
      ...(typesetter === null
        ? {}
        : { mathematics: (source: string) => typeset(typesetter, source) }),
      ...(mermaid === null ? {} : { diagram: (source: string) => draw(mermaid, source) }),
      ...(themes === null
        ? {}
        : {
            onChange: (listener: () => void) => {
              themes.themeChanged.connect(listener);
              return () => void themes.themeChanged.disconnect(listener);
            },
          }),
    };
  },
};
