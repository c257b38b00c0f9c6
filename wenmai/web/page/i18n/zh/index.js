// @ts-check
import desk from './desk.js';
import errors from './errors.js';
import events from './events.js';
import memories from './memories.js';
import parts from './parts.js';
import people from './people.js';
import settings from './settings.js';
import shelf from './shelf.js';
import shell from './shell.js';

export default { desk, errors, events, memories, parts, people, settings, shelf, shell };
