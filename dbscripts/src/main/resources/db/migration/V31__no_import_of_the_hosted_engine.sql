-- No command ever imported the VM that runs the engine, so the work that asked for it (kind 6) is no longer left.
DELETE FROM pending_work WHERE kind = 6;
