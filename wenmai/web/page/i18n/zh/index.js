// @ts-check
import desk from './desk.js';
import documents from './documents.js';
import errors from './errors.js';
import events from './events.js';
import find from './find.js';
import memories from './memories.js';
import parts from './parts.js';
import people from './people.js';
import read from './read.js';
import settings from './settings.js';
import shelf from './shelf.js';
import shell from './shell.js';

export default { desk, documents, errors, events, find, memories, parts, people, read, settings, shelf, shell };
