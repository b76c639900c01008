import { plugins } from './plugins';

export { IAcpClient } from './plugins';
export default plugins;
