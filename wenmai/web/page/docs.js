// The reference of the API: Swagger UI on the document of this server. It asks nobody else (`validatorUrl`).
const place = document.getElementById('reference');
/** @type {any} */ (window).SwaggerUIBundle({
  domNode: place,
  url: place?.dataset.document,
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
