#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-only
# heddle COMMAND --json: one object for every table, as docs/formats/json says, with the figures of the text.
# Usage: json.sh HEDDLE SOURCE_DIRECTORY     (exit code 77: skipped, /usr/bin/python3 lacks jsonschema or h5py)
set -u
heddle=$1 source=$2 script=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/json_output.py
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
/usr/bin/python3 -B "$script" "$heddle" "$source"
