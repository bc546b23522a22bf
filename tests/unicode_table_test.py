"""The committed Unicode table is what its script makes of Unicode 16.0; skips where PyPI's unicodedata2 is not there."""
import os
import subprocess
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PYTHON = os.environ.get("TOKMILL_PYTHON_PEERS")


class UnicodeTable(unittest.TestCase):
    @unittest.skipUnless(PYTHON, "TOKMILL_PYTHON_PEERS names no Python with unicodedata2 16.0.0")
    def test_is_what_the_script_makes(self):
        script = os.path.join(ROOT, "lib/text/generate_unicode_classes.py")
        done = subprocess.run([PYTHON, script, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
