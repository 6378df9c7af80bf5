// A file of its own, so that the page needs no inline script (Content-Security-Policy).
const place = document.getElementById("documentation");

Redoc.init(place.dataset.schema, { disableSearch: true, hideHostname: false }, place);
