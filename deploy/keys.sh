# Functions that make keys and a certificate; install.sh and make_secrets.sh read this file.
# They need Python 3 and openssl.
# shellcheck shell=sh

token() { python3 -c 'import secrets; print(secrets.token_urlsafe(48))'; }
fernet() { python3 -c 'import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())'; }
self_signed() { # self_signed HOSTNAME KEY CERTIFICATE
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 365 \
        -subj "/CN=$1" -addext "subjectAltName=DNS:$1" -keyout "$2" -out "$3" 2>/dev/null
}
