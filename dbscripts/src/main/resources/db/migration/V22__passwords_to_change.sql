-- The first administrator's password, and one that an administrator gave a user, can be good for one thing only: to be
-- changed. The user has no grants until then.

ALTER TABLE engine_user ADD COLUMN must_change_password boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN engine_user.must_change_password IS 'Whether the password is good for nothing but to be changed. Owner: engine.';
