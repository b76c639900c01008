/**
 * The features of the page, a line each: a feature is its folder and its line here.
 *
 * The rest of the page works without any of them, and imports none.
 */
export { checkPlugin, staleCellsPlugin } from './checks/plugin';
export { contextPlugin } from './context/plugin';
export { fixPlugin } from './fix/plugin';
export { followPlugin } from './follow/plugin';
export { historyPlugin } from './history/plugin';
export { inboxPlugin } from './inbox/plugin';
export { nextCellPlugin } from './next_cell/plugin';
export { outsidePlugin } from './outside/plugin';
export { addedPromptsPlugin, cellExecutorPlugin } from './prompt_cells/plugin';
export { promptsPlugin } from './prompts/plugin';
export { sharePlugin } from './share/plugin';
export { trafficPlugin } from './traffic/plugin';
export { variantsPlugin } from './variants/plugin';
