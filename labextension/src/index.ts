import { plugins } from './features';

export { IAcpClient } from './features';

export default plugins;
