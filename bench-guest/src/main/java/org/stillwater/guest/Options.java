package org.stillwater.guest;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The command's options.
 *
 * @param folder where the file is made
 * @param fileBytes size of the file
 * @param seconds how long a cell runs at most
 * @param recordBytes record sizes, in the order of the run
 * @param operations operations, in the order of the run
 * @param engine which engine reads and writes
 * @param buffered whether the cache of the operating system takes part
 * @param json where the result is written, null to print them only
 * @param target identity of this machine in the engine, null if not given
 * @param posting where results are posted, null to print them only
 */
record Options(
        Path folder,
        long fileBytes,
        int seconds,
        List<Integer> recordBytes,
        List<DiskOperation> operations,
        EngineChoice engine,
        boolean buffered,
        @Nullable Path json,
        @Nullable Target target,
        @Nullable Posting posting,
        boolean dryRun,
        boolean help) {

    static final int KIB = 1 << 10;
    static final int MIB = 1 << 20;
    private static final long GIB = 1L << 30;

    static final long LEAST_FILE_BYTES = 16 * MIB;
    static final long MOST_FILE_BYTES = 64 * GIB;
    static final int MOST_SECONDS = 300;
    private static final int SMALLEST_RECORD = 64 * KIB;
    private static final int LARGEST_RECORD = 16 * MIB;

    private static final Pattern DURATION = Pattern.compile("(\\d{1,6})([smhd])");
    private static final Duration LEAST_EVERY = Duration.ofMinutes(1);
    private static final Duration MOST_EVERY = Duration.ofDays(30);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int MOST_RUNS = 1_000_000;

    private static final Pattern SIZE = Pattern.compile("(\\d{1,12})([kmg]?)(i?b)?");

    /** From 64 KiB to 16 MiB, each the double of the one before. */
    static final List<Integer> ALL_RECORDS =
            List.of(
                    64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, MIB, 2 * MIB, 4 * MIB, 8 * MIB,
                    16 * MIB);

    /** Which engine reads and writes. */
    enum EngineChoice {
        AUTO,
        FIO,
        DIRECT
    }

    Options {
        recordBytes = List.copyOf(recordBytes);
        operations = List.copyOf(operations);
    }

    /**
     * The options of a command line; each is {@code --name=value} or {@code --name value}.
     *
     * @throws WrongUsage if one is unknown or out of its range
     */
    static Options of(String... arguments) throws WrongUsage {
        Path folder = Path.of("");
        long fileBytes = GIB;
        int seconds = 5;
        List<Integer> records = ALL_RECORDS;
        List<DiskOperation> operations = List.of(DiskOperation.values());
        EngineChoice engine = EngineChoice.AUTO;
        boolean buffered = false;
        Path json = null;
        Target target = null;
        URI engineAddress = null;
        Path tokenFile = null;
        Path ca = null;
        Duration every = null;
        Duration budget = null;
        int runs = 0;
        boolean dryRun = false;
        boolean help = false;
        for (int i = 0; i < arguments.length; i++) {
            String argument = arguments[i];
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            switch (name) {
                case "--buffered", "--dry-run", "--help", "-h" -> {
                    if (equals >= 0) {
                        throw new WrongUsage(name + " takes no value");
                    }
                    buffered |= name.equals("--buffered");
                    dryRun |= name.equals("--dry-run");
                    help |= name.equals("--help") || name.equals("-h");
                    continue;
                }
                case "--dir",
                        "--size",
                        "--seconds",
                        "--records",
                        "--operations",
                        "--engine",
                        "--json",
                        "--vm",
                        "--host",
                        "--post",
                        "--token-file",
                        "--ca",
                        "--every",
                        "--budget",
                        "--runs" -> {}
                default -> throw new WrongUsage("there is no option " + name);
            }
            if (equals < 0 && i + 1 == arguments.length) {
                throw new WrongUsage(name + " takes a value");
            }
            String value = equals < 0 ? arguments[++i] : argument.substring(equals + 1);
            switch (name) {
                case "--dir" -> folder = path(name, value);
                case "--size" ->
                        fileBytes =
                                size(
                                        name,
                                        value,
                                        LEAST_FILE_BYTES,
                                        MOST_FILE_BYTES,
                                        LARGEST_RECORD);
                case "--seconds" -> seconds = (int) number(name, value, 1, MOST_SECONDS);
                case "--records" -> records = records(value);
                case "--operations" -> operations = operations(value);
                case "--engine" -> engine = engine(value);
                case "--json" -> json = path(name, value);
                case "--vm", "--host" -> {
                    if (target != null) {
                        throw new WrongUsage("--vm and --host name one machine, once");
                    }
                    target = target(name, value);
                }
                case "--post" -> engineAddress = address(value);
                case "--token-file" -> tokenFile = path(name, value);
                case "--ca" -> ca = path(name, value);
                case "--every" -> every = duration(name, value, LEAST_EVERY, MOST_EVERY);
                case "--budget" ->
                        budget =
                                duration(
                                        name,
                                        value.endsWith("/day")
                                                ? value.substring(0, value.length() - 4)
                                                : value,
                                        Duration.ofSeconds(1),
                                        DAY);
                default -> runs = (int) number(name, value, 1, MOST_RUNS);
            }
        }
        return new Options(
                folder,
                fileBytes,
                seconds,
                records,
                operations,
                engine,
                buffered,
                json,
                target,
                posting(target, engineAddress, tokenFile, ca, every, budget, runs),
                dryRun,
                help);
    }

    private static @Nullable Posting posting(
            @Nullable Target target,
            @Nullable URI engine,
            @Nullable Path tokenFile,
            @Nullable Path ca,
            @Nullable Duration every,
            @Nullable Duration budget,
            int runs)
            throws WrongUsage {
        if (engine == null) {
            if (tokenFile != null || ca != null || every != null || budget != null || runs > 0) {
                throw new WrongUsage(
                        "--token-file, --ca, --every, --budget and --runs take --post");
            }
            return null;
        }
        if (target == null) {
            throw new WrongUsage("--post takes --vm or --host");
        }
        if (tokenFile == null) {
            throw new WrongUsage("--post takes --token-file");
        }
        if (every == null) {
            if (budget != null || runs > 0) {
                throw new WrongUsage("--budget and --runs take --every");
            }
            return new Posting(engine, tokenFile, ca, null);
        }
        return new Posting(
                engine, tokenFile, ca, new Schedule(every, budget == null ? DAY : budget, runs));
    }

    /** How long the cells take at most. */
    int mostSeconds() {
        return seconds * recordBytes.size() * operations.size();
    }

    private static Target target(String name, String value) throws WrongUsage {
        try {
            return new Target(name.substring(2), UUID.fromString(value));
        } catch (IllegalArgumentException e) {
            throw new WrongUsage(name + " is the identity of the machine in the engine, a UUID");
        }
    }

    /** The token must not cross a network in clear. */
    private static URI address(String value) throws WrongUsage {
        String address = value.endsWith("/") ? value.substring(0, value.length() - 1) : value;
        try {
            URI uri = new URI(address);
            String host = uri.getHost();
            boolean plain = uri.getUserInfo() == null && uri.getRawQuery() == null;
            if (host != null && plain && uri.getRawFragment() == null) {
                boolean local =
                        host.equals("localhost")
                                || host.equals("127.0.0.1")
                                || host.equals("[::1]");
                String path = uri.getRawPath();
                if (path != null && !path.isEmpty()) {
                    throw new WrongUsage("--post takes the engine's address without a path");
                }
                if ("https".equals(uri.getScheme()) || (local && "http".equals(uri.getScheme()))) {
                    return uri;
                }
            }
        } catch (URISyntaxException e) {
            // refused below, like an address of another form
        }
        throw new WrongUsage("--post takes the engine's address, as https://engine.example:8443");
    }

    private static Duration duration(String name, String value, Duration least, Duration most)
            throws WrongUsage {
        Matcher matcher = DURATION.matcher(value);
        if (matcher.matches()) {
            long number = Long.parseLong(matcher.group(1));
            Duration duration =
                    switch (matcher.group(2)) {
                        case "s" -> Duration.ofSeconds(number);
                        case "m" -> Duration.ofMinutes(number);
                        case "h" -> Duration.ofHours(number);
                        default -> Duration.ofDays(number);
                    };
            if (duration.compareTo(least) >= 0 && duration.compareTo(most) <= 0) {
                return duration;
            }
        }
        throw new WrongUsage(
                name
                        + " must be a time from "
                        + least.toSeconds()
                        + "s to "
                        + most.toHours()
                        + "h, as 90s, 30m, 6h or 1d; it is "
                        + value);
    }

    private static Path path(String name, String value) throws WrongUsage {
        try {
            return Path.of(value);
        } catch (InvalidPathException e) {
            throw new WrongUsage(name + " is no path: " + e.getReason());
        }
    }

    private static long number(String name, String value, long least, long most) throws WrongUsage {
        try {
            long number = Long.parseLong(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // refused below, like a number out of range
        }
        throw new WrongUsage(name + " must be a number from " + least + " to " + most);
    }

    private static List<Integer> records(String value) throws WrongUsage {
        List<Integer> records = new ArrayList<>();
        for (String each : value.split(",", -1)) {
            int bytes = (int) size("--records", each, SMALLEST_RECORD, LARGEST_RECORD, 1);
            if (!ALL_RECORDS.contains(bytes)) {
                throw new WrongUsage("--records takes powers of two from 64k to 16m, not " + each);
            }
            if (!records.contains(bytes)) {
                records.add(bytes);
            }
        }
        return records;
    }

    private static List<DiskOperation> operations(String value) throws WrongUsage {
        List<DiskOperation> operations = new ArrayList<>();
        for (String each : value.split(",", -1)) {
            DiskOperation operation = DiskOperation.of(each);
            if (!operations.contains(operation)) {
                operations.add(operation);
            }
        }
        return operations;
    }

    private static EngineChoice engine(String value) throws WrongUsage {
        return switch (value) {
            case "auto" -> EngineChoice.AUTO;
            case "fio" -> EngineChoice.FIO;
            case "direct" -> EngineChoice.DIRECT;
            default -> throw new WrongUsage("--engine is auto, fio or direct");
        };
    }

    private static long size(String name, String value, long least, long most, long multiple)
            throws WrongUsage {
        Matcher size = SIZE.matcher(value.toLowerCase(Locale.ROOT));
        if (size.matches()) {
            long unit =
                    switch (size.group(2)) {
                        case "k" -> KIB;
                        case "m" -> MIB;
                        case "g" -> GIB;
                        default -> 1;
                    };
            long number = Long.parseLong(size.group(1));
            if (number <= most / unit && number * unit >= least && number * unit % multiple == 0) {
                return number * unit;
            }
        }
        throw new WrongUsage(
                name
                        + " must be a size from "
                        + text(least)
                        + " to "
                        + text(most)
                        + (multiple > 1 ? ", a multiple of " + text(multiple) : "")
                        + ", as 64k, 16m or 1g; it is "
                        + value);
    }

    /** A size for people. */
    static String text(long bytes) {
        if (bytes >= GIB && bytes % GIB == 0) {
            return bytes / GIB + " GiB";
        }
        return bytes >= MIB ? bytes / MIB + " MiB" : bytes / KIB + " KiB";
    }
}
