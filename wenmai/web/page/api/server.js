// @ts-check
/** The server itself: settings, rights, health, networks, traces. */
import { every, json, path } from './http.js';
import { upload } from './uploads.js';

/** @typedef {import('./http.js').Schemas} Schemas */
/** @typedef {Schemas['PublicSettings']} Settings */
/** @typedef {Schemas['Me']} Me */
/** @typedef {Schemas['NetworkView']} Network */

/** @param {AbortSignal} [signal] @returns {Promise<Settings>} */
export const settings = (signal) => json('GET', 'settings', { signal });

/** @param {AbortSignal} [signal] @returns {Promise<Me>} */
export const me = (signal) => json('GET', 'me', { signal });

/** @param {AbortSignal} [signal] @returns {Promise<Schemas['Health']>} */
export const health = (signal) => json('GET', 'health', { signal });

/** @param {AbortSignal} [signal] @returns {Promise<Network[]>} */
export const networks = (signal) => every('networks', { signal });

/** @param {string} id @param {AbortSignal} [signal] @returns {Promise<Schemas['SchemaView']>} */
export const network = (id, signal) => json('GET', path`networks/${id}`, { signal });

/** @typedef {Schemas['InstanceView']} NetworkRow */
/** @typedef {Schemas['SeenView']} SeenRow */

/** query: q, sort, descending, limit, offset
 * @param {string} id @param {string} type @param {import('./http.js').Query} query @param {AbortSignal} [signal] @returns {Promise<import('./http.js').Page<NetworkRow>>} */
export const networkRows = (id, type, query, signal) => json('GET', path`networks/${id}/rows/${type}`, { query, signal });

/** A row by its key, with its relations. @param {string} id @param {{ id: string, type?: string }} query @param {AbortSignal} [signal] @returns {Promise<SeenRow>} */
export const networkRow = (id, query, signal) => json('GET', path`networks/${id}/row`, { query, signal });

/** @param {string} id @param {FormData} form @param {import('./uploads.js').UploadOptions} [options] @returns {Promise<Schemas['ImportReceipt']>} */
export const addNetwork = (id, form, options) => upload(path`networks/${id}`, form, options);

/** @param {string} id @param {FormData} form @param {import('./uploads.js').UploadOptions} [options] @returns {Promise<Schemas['NetworkPreview']>} */
export const previewNetwork = (id, form, options) => upload(path`networks/${id}/preview`, form, options);

/** @param {string} id @returns {Promise<Schemas['NetworkReceipt']>} */
export const removeNetwork = (id) => json('DELETE', path`networks/${id}`);

/** @typedef {Schemas['ModelView']} Model */
/** @typedef {Schemas['ModelBody']} NewModel */

/** The model service that answers. @param {AbortSignal} [signal] @returns {Promise<Model>} */
export const model = (signal) => json('GET', 'settings/model', { signal });

/** Let another model service answer. @param {NewModel} body @returns {Promise<Model>} */
export const chooseModel = (body) => json('PUT', 'settings/model', { body });

/** Forget the model service that was chosen. @returns {Promise<Model>} */
export const forgetModel = () => json('DELETE', 'settings/model');

/** Ask the model service two short questions, or another one that nothing is kept of. @param {NewModel} [body] @returns {Promise<Schemas['ModelTest']>} */
export const testModel = (body) => json('POST', 'settings/test', { body });

/** @typedef {Schemas['KeyView']} ApiKey */
/** @typedef {Schemas['NewKeyBody']} NewKey */

/** @param {AbortSignal} [signal] @returns {Promise<Schemas['KeyList']>} */
export const keys = (signal) => json('GET', 'keys', { signal });

/** Make a key; its token is shown this once. @param {NewKey} body @returns {Promise<Schemas['ShownKey']>} */
export const makeKey = (body) => json('POST', 'keys', { body });

/** @param {string} id @returns {Promise<ApiKey>} */
export const endKey = (id) => json('DELETE', path`keys/${id}`);
