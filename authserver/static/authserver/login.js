// Lets a person see the password being typed. Without it the button stays hidden.

for (const button of document.querySelectorAll("[data-reveals]")) {
    const field = document.getElementById(button.dataset.reveals);
    const word = button.firstChild;

    const reveal = (shown) => {
        field.type = shown ? "text" : "password";
        word.textContent = shown ? "Hide" : "Show";
    };

    button.hidden = false;
    button.addEventListener("click", () => {
        reveal(field.type === "password");
        field.focus();
    });
    // Browsers offer to remember what was typed into a text field; a password is none.
    field.form.addEventListener("submit", () => reveal(false));
}
