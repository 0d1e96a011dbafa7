"""For scripts/wheel, which has built the module and stands in a folder with nothing but the package."""

import os

from setuptools import Distribution, setup


class Built(Distribution):
    """A package with a module for this machine, which is there already."""

    def has_ext_modules(self):
        return True


setup(name="filum", version=os.environ["FILUM_VERSION"], description="Simulates slender and soft bodies in contact", license="Apache-2.0",
      packages=["filum"], package_data={"filum": ["*.so", "*.json", "*.pyi", "py.typed", "config/**/*"]}, install_requires=["numpy"],
      python_requires=">=3.9", distclass=Built)
