// A file of its own, so that the page needs no inline script (Content-Security-Policy).
const place = document.getElementById("documentation");

SwaggerUIBundle({
    url: place.dataset.schema,
    domNode: place,
    deepLinking: true,
    validatorUrl: null,
});
