import * as features from './features';
import { core } from './lab';

export { IAcpClient } from './lab';

export default [...core, ...Object.values(features)];
