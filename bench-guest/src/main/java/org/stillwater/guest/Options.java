package org.stillwater.guest;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
 * @param json where the result is written, null for nowhere
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
                        "--json" -> {}
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
                default -> json = path(name, value);
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
                dryRun,
                help);
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
