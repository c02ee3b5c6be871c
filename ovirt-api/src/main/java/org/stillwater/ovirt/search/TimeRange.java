package org.stillwater.ovirt.search;

import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.format.ResolverStyle;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The time that a value names, as long as it was written exactly: a day, a minute, a second, or an
 * instant.
 *
 * @param from the first instant
 * @param until the first instant after it; of an exact instant, the next ns
 */
record TimeRange(Instant from, Instant until) {

    private static final Pattern ALL_DIGITS = Pattern.compile("[0-9]{9,18}");
    private static final long MILLIS_FROM = 100_000_000_000L;

    private static final List<DateTimeFormatter> DAYS =
            List.of(format("uuuu-M-d"), format("M/d/uuuu"), format("M/d/uu"));

    private static final List<Moment> MOMENTS =
            List.of(
                    new Moment(format("uuuu-M-d'T'H:m"), ChronoUnit.MINUTES),
                    new Moment(format("uuuu-M-d'T'H:m:s"), ChronoUnit.SECONDS),
                    new Moment(format("uuuu-M-d H:m"), ChronoUnit.MINUTES),
                    new Moment(format("uuuu-M-d H:m:s"), ChronoUnit.SECONDS),
                    new Moment(format("M/d/uuuu H:m"), ChronoUnit.MINUTES),
                    new Moment(format("M/d/uuuu H:m:s"), ChronoUnit.SECONDS),
                    new Moment(format("M/d/uuuu h:m a"), ChronoUnit.MINUTES),
                    new Moment(format("M/d/uu H:m"), ChronoUnit.MINUTES),
                    new Moment(format("M/d/uu h:m a"), ChronoUnit.MINUTES));

    private record Moment(DateTimeFormatter format, ChronoUnit unit) {}

    private static DateTimeFormatter format(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ENGLISH)
                .withResolverStyle(ResolverStyle.STRICT);
    }

    /**
     * The time of a value: {@code today}, {@code yesterday}, a day of the week (the last one, not
     * today), a date as {@code 2026-03-01} or {@code 3/1/2026}, with a time of day or without, an
     * ISO 8601 date and time with its offset, or s or ms since 1970.
     *
     * @param now present time, for {@code today}
     * @param zone time zone of days, and of times without an offset
     */
    static TimeRange parse(String value, Instant now, ZoneId zone) throws Malformed {
        String text = value.strip().toUpperCase(Locale.ROOT);
        LocalDate today = LocalDate.ofInstant(now, zone);
        LocalDate named = named(text, today);
        if (named != null) {
            return day(named, zone);
        }
        try {
            if (ALL_DIGITS.matcher(text).matches()) {
                long number = Long.parseLong(text);
                return number >= MILLIS_FROM
                        ? lasting(Instant.ofEpochMilli(number), ChronoUnit.MILLIS)
                        : lasting(Instant.ofEpochSecond(number), ChronoUnit.SECONDS);
            }
            TimeRange found = parsed(text, zone);
            if (found != null) {
                return found;
            }
        } catch (DateTimeException | ArithmeticException _) {
            // a time that the engine cannot count to
        }
        throw new Malformed("not a time of the search language");
    }

    private static @Nullable LocalDate named(String text, LocalDate today) {
        if (text.equals("TODAY")) {
            return today;
        }
        if (text.equals("YESTERDAY")) {
            return today.minusDays(1);
        }
        for (DayOfWeek day : DayOfWeek.values()) {
            if (text.equals(day.name())) {
                int back = Math.floorMod(today.getDayOfWeek().getValue() - day.getValue(), 7);
                return today.minusDays(back == 0 ? 7 : back);
            }
        }
        return null;
    }

    private static @Nullable TimeRange parsed(String text, ZoneId zone) {
        for (DateTimeFormatter format : DAYS) {
            LocalDate day = tried(() -> LocalDate.parse(text, format));
            if (day != null) {
                return day(day, zone);
            }
        }
        for (Moment moment : MOMENTS) {
            LocalDateTime time = tried(() -> LocalDateTime.parse(text, moment.format()));
            if (time != null) {
                return lasting(time.atZone(zone).toInstant(), moment.unit());
            }
        }
        OffsetDateTime exact = tried(() -> OffsetDateTime.parse(text));
        if (exact != null) {
            return lasting(exact.toInstant(), unit(exact.toInstant()));
        }
        LocalDateTime local = tried(() -> LocalDateTime.parse(text));
        if (local != null) {
            Instant at = local.atZone(zone).toInstant();
            return lasting(at, unit(at));
        }
        return null;
    }

    private static ChronoUnit unit(Instant at) {
        if (at.equals(at.truncatedTo(ChronoUnit.SECONDS))) {
            return ChronoUnit.SECONDS;
        }
        return at.equals(at.truncatedTo(ChronoUnit.MILLIS)) ? ChronoUnit.MILLIS : ChronoUnit.NANOS;
    }

    private static <T> @Nullable T tried(Supplier<T> parse) {
        try {
            return parse.get();
        } catch (DateTimeException _) {
            return null;
        }
    }

    private static TimeRange day(LocalDate day, ZoneId zone) {
        return new TimeRange(
                day.atStartOfDay(zone).toInstant(), day.plusDays(1).atStartOfDay(zone).toInstant());
    }

    private static TimeRange lasting(Instant from, ChronoUnit unit) {
        return new TimeRange(from, from.plus(1, unit));
    }

    /**
     * Whether an instant stands in a relation to this. A value after a day also includes that day,
     * as users of such a search expect.
     */
    boolean holds(Operator operator, Instant time) {
        return switch (operator) {
            case EQUAL -> !time.isBefore(from) && time.isBefore(until);
            case NOT_EQUAL -> time.isBefore(from) || !time.isBefore(until);
            case LESS -> time.isBefore(from);
            case GREATER -> time.isAfter(from);
            case AT_MOST -> time.isBefore(until);
            case AT_LEAST -> !time.isBefore(from);
        };
    }
}
