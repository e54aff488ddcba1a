"""The rows; lab.run imports every module of this folder."""
