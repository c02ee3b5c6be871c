-- Passwords and options of fence agents are encrypted by the engine, with a key that is not in the database. Only the engine
-- has the key, so the engine encrypts what earlier versions stored readable, in one transaction at its next start, and empties
-- the readable columns. A row never has both.

ALTER TABLE host_fence_agent
    ADD COLUMN secret text,
    ADD CONSTRAINT host_fence_agent_sealed CHECK (secret IS NULL OR (password IS NULL AND agent_options = '{}'));

COMMENT ON COLUMN host_fence_agent.secret IS 'Password and options, encrypted; it names its key, which is not in the database. Null without either. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.password IS 'Readable password of an earlier version, null since the engine has encrypted it. Owner: engine.';
COMMENT ON COLUMN host_fence_agent.agent_options IS 'Readable options of an earlier version, empty since the engine has encrypted them. Owner: engine.';
