-- A running run as the first version of the history wrote it.
INSERT INTO study(id, hash, name, engine, document) VALUES(1, 'fb3e7e9fd4a7df3d2c13e731efbc270e1530171e285a96423f01aac3464da258', 'old',
    'partition', '{"schema": "tessera.study/1", "engine": "partition", "models": ["zoo:resnet18"], "hardware": ["accpar-homogeneous"], "parameters": {"batch": 512}}');
INSERT INTO run(id, uid, study, name, engine, models, hardware, status, since, started, version, host)
    VALUES(1, 'bcdfghjkmnpqrstvwxzbcdfg', 1, 'old', 'partition', 'zoo:resnet18', 'accpar-homogeneous', 'running',
        1700000000000, 1700000000000, '0.1.0', 'HOST');
INSERT INTO run_model(run, name) VALUES(1, 'zoo:resnet18');
INSERT INTO run_hardware(run, name) VALUES(1, 'accpar-homogeneous');
INSERT INTO tag(run, name) VALUES(1, 't');
INSERT INTO note(run, text) VALUES(1, 'a note');
INSERT INTO trace(run, series, position, points) VALUES(1, 'best', 0, x'000000000000F03F0000000000000040');
INSERT INTO run_search(rowid, name, tags, note, models, hardware)
    VALUES(1, 'old', 't', 'a note', 'zoo:resnet18', 'accpar-homogeneous');
