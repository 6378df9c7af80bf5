// Names for controls that Django admin's scripts make without one; a screen reader says them.
"use strict";
{
    const FOCUSABLE = "a[href], button, input:not([type=hidden]), select, textarea";

    const idOfLabel = (select) => {
        const label = document.querySelector(`label[for="${CSS.escape(select.id)}"]`);
        if (label && !label.id) {
            label.id = `${select.id}_label`;
        }
        return label ? label.id : "";
    };

    const nameSelect = (select) => {
        const made = select.nextElementSibling;
        const inside = ".select2-selection, [role=textbox], [role=searchbox]";
        const label = idOfLabel(select);
        const box = made.querySelector("[role=combobox]");
        const list = box.getAttribute("aria-owns");
        if (list) {
            box.setAttribute("aria-controls", list);
        } else {
            box.removeAttribute("aria-controls");
        }
        for (const part of made.querySelectorAll(inside)) {
            const shown = made.querySelector("[role=textbox]");
            if (part.getAttribute("role") === "combobox" && label && shown) {
                part.setAttribute("aria-labelledby", `${label} ${shown.id}`);
            } else if (label) {
                part.setAttribute("aria-labelledby", label);
            } else {
                part.setAttribute("aria-label", select.getAttribute("aria-label") || "Choice");
            }
        }
    };

    const nameAll = () => {
        document.querySelectorAll("select.select2-hidden-accessible").forEach(nameSelect);
        for (const search of document.querySelectorAll(".select2-search--dropdown input")) {
            search.setAttribute("aria-label", "Search");
        }
        // A label on a plain span is not read; as an image it is.
        for (const help of document.querySelectorAll("span.help-tooltip[aria-label]")) {
            help.setAttribute("role", "img");
        }
        // What scrolls sideways on a phone is reached by keyboard, though nothing in it is.
        for (const group of document.querySelectorAll(".inline-group:not([tabindex])")) {
            const heading = group.querySelector("h2");
            if (heading && !group.querySelector(FOCUSABLE)) {
                group.tabIndex = 0;
                group.setAttribute("role", "group");
                group.setAttribute("aria-label", heading.textContent.trim());
            }
        }
        for (const heading of document.querySelectorAll(".tabular thead th:empty")) {
            const name = document.createElement("span");
            name.className = "visually-hidden";
            name.textContent = heading.matches(".original") ? "Row" : "Delete";
            heading.append(name);
        }
    };

    // What a choice opens belongs to the page's main part, and not after its end.
    const jQuery = window.django && window.django.jQuery;
    if (jQuery && jQuery.fn.select2) {
        jQuery.fn.select2.defaults.set("dropdownParent", jQuery("main"));
    }

    document.addEventListener("DOMContentLoaded", () => {
        nameAll();
        new MutationObserver(nameAll).observe(document.body, {childList: true, subtree: true});
    });
}
