import re
import tarfile


def test_it_writes_the_archive_and_tells_its_size(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = cli("kaggle-bundle")
    assert (code, err) == (0, "")
    size, = re.fullmatch(r"submission\.tar\.gz: (\d+\.\d) MB\n", out).groups()
    path = tmp_path / "submission.tar.gz"
    assert float(size) == round(path.stat().st_size / 1e6, 1)
    with tarfile.open(path) as file:
        assert "main.py" in file.getnames()


def test_a_file_that_cannot_be_written_is_an_error(cli, tmp_path):
    code, out, err = cli("kaggle-bundle", tmp_path)
    assert (code, out) == (2, "")
    assert err.startswith("mcts-core: error: the archive cannot be written to") and err.count("\n") == 1
