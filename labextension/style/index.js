import './index.css';
import './panel.css';
import './lab.css';
import './sessions.css';
import './agents.css';
import './rules.css';
import './composer.css';
import './cards.css';
import './cells.css';
import './code.css';
import './diff.css';
import './review.css';
import './documents.css';

// Each feature has its own sheet, `src/features/NAME/style.css`.
const features = import.meta.webpackContext('../src/features', { regExp: /\/style\.css$/ });
features.keys().forEach(features);
