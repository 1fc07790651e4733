"""Tests of tools/lock.py that need neither uv nor an index."""

from __future__ import annotations

import pytest

import lock

HASHES = "ab/cd/" + "0123456789abcdef" * 3

LOCK = f"""
version = 1

[[package]]
name = "rich"
version = "15.0.0"
source = {{ registry = "https://mirror.example/simple" }}
dependencies = [{{ name = "pygments", marker = "sys_platform == 'linux'" }}]
sdist = {{ url = "https://mirror.example/packages/{HASHES}/rich-15.0.0.tar.gz", hash = "sha256:1" }}
wheels = [
    {{ url = "https://other.example/w/rich-15.0.0-py3-none-any.whl", hash = "sha256:2", size = 1 }},
]

[[package]]
name = "torch"
version = "2.13.0"
source = {{ registry = "/srv/wheels" }}
wheels = [{{ path = "torch-2.13.0-cp311-cp311-linux_x86_64.whl" }}]

[[package]]
name = "kops"
source = {{ editable = "packages/kops" }}

[package.optional-dependencies]
torch = [{{ name = "torch" }}]
"""


def test_neutralize_leaves_no_address_and_keeps_the_pins():
    neutral = lock.neutralize(LOCK)
    assert lock.real_addresses(neutral) == []
    assert "example" not in neutral
    assert "/srv/wheels" not in neutral
    assert lock.pins(neutral) == lock.pins(LOCK)


def test_neutralize_keeps_content_addresses_and_names():
    neutral = lock.neutralize(LOCK)
    assert f'url = "https://files.invalid/{HASHES}/rich-15.0.0.tar.gz"' in neutral
    assert 'url = "https://files.invalid/rich-15.0.0-py3-none-any.whl"' in neutral
    assert 'path = "https://files.invalid/torch-2.13.0-cp311-cp311-linux_x86_64.whl"' in neutral
    assert 'editable = "packages/kops"' in neutral


def test_neutralize_is_idempotent():
    once = lock.neutralize(LOCK)
    assert lock.neutralize(once) == once


@pytest.mark.parametrize(
    "address",
    ["https://pypi.example/simple", "file:///opt/index", "http://10.0.0.1/simple"],
)
def test_real_addresses_finds(address):
    assert lock.real_addresses(f'source = {{ registry = "{address}" }}') == [address]


def test_changed_pins_sees_versions_dependencies_and_extras():
    assert lock.changed_pins(LOCK, LOCK) == []
    assert lock.changed_pins(LOCK, LOCK.replace("15.0.0", "15.0.1")) == ["rich"]
    assert lock.changed_pins(LOCK, LOCK.replace("'linux'", "'win32'")) == ["rich"]
    assert lock.changed_pins(LOCK, LOCK.replace('torch = [{ name = "torch" }]', "")) == ["kops"]


def test_changed_pins_ignores_where_files_come_from():
    moved = LOCK.replace("mirror.example", "another.example").replace("size = 1", "size = 2")
    assert lock.changed_pins(LOCK, moved) == []


def test_constraints_keeps_pins_and_markers_only():
    export = """\
    --index-url https://mirror.example/simple
    rich==15.0.0
    -e ./packages/kops
    absl-py==2.5.1 ; sys_platform == 'linux'
        # via tensorflow
    """
    assert lock.constraints(export) == lock.HEADER + (
        "absl-py==2.5.1 ; sys_platform == 'linux'\nrich==15.0.0\n"
    )
