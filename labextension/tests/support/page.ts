import { configure } from '@testing-library/preact';

// For `waitFor` and `findBy…`: only a test that fails waits that long, however busy the machine is.
configure({ asyncUtilTimeout: 60_000 });

// jsdom has no layout to scroll.
Element.prototype.scrollIntoView = () => undefined;
