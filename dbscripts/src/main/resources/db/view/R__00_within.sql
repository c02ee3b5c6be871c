-- Numbers for readers whose columns are narrower than what a host may report: what does not fit is cut off, so that no
-- report makes a view fail. What is not known stays so; least() and greatest() would make a number of it.

CREATE OR REPLACE FUNCTION within_smallint(value double precision) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT (CASE WHEN value > 32767 THEN 32767 WHEN value < 0 THEN 0 ELSE value END)::smallint
$$;

COMMENT ON FUNCTION within_smallint(double precision) IS 'Rounds a number and limits it to the range from 0 to the largest smallint.';

CREATE OR REPLACE FUNCTION within_integer(value numeric) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT (CASE WHEN value > 2147483647 THEN 2147483647 WHEN value < 0 THEN 0 ELSE value END)::integer
$$;

COMMENT ON FUNCTION within_integer(numeric) IS 'Rounds a number and limits it to the range from 0 to the largest integer.';

CREATE OR REPLACE FUNCTION within_bigint(value numeric) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
    SELECT (CASE WHEN value > 9223372036854775807 THEN 9223372036854775807 WHEN value < 0 THEN 0 ELSE value END)::bigint
$$;

COMMENT ON FUNCTION within_bigint(numeric) IS 'Rounds a number and limits it to the range from 0 to the largest bigint.';
