"""Asks each address with requests-kerberos, which demands that the server proves itself too; prints its status."""
import sys
import requests
from requests_kerberos import REQUIRED, HTTPKerberosAuth

for address in sys.argv[1:]:
    try:
        answer = requests.get(address, auth=HTTPKerberosAuth(mutual_authentication=REQUIRED), timeout=30)
        print(answer.status_code)
    except Exception as refused:
        print("refused:", type(refused).__name__)
