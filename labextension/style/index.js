import './index.css';
import './lab.css';
import './sessions.css';
import './agents.css';
import './rules.css';
import './composer.css';
import './code.css';
