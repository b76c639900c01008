import './index.css';
import './lab.css';
import './sessions.css';
import './agents.css';
