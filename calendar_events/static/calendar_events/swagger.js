// A file of its own, so that the page needs no inline script (Content-Security-Policy).
const place = document.getElementById("documentation");
const methods = ["get", "post", "put", "patch", "delete"];

// "Try it out" would send every example as a filter, and all of them together find nothing.
const withoutExamples = (description) => {
    for (const path of Object.values(description.paths)) {
        for (const method of methods) {
            for (const parameter of path[method]?.parameters ?? []) {
                delete parameter.schema.example;
            }
        }
    }
    return description;
};

const answer = await fetch(place.dataset.schema);

SwaggerUIBundle({
    spec: withoutExamples(await answer.json()),
    domNode: place,
    deepLinking: true,
    validatorUrl: null,
});
