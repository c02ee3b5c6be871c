package org.stillwater.server.programs;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.stillwater.server.configuration.GivenSettings;

/**
 * A program's own options, and those of the engine among them: every program takes {@code --config}
 * and {@code --data}, and settings as the engine does. Immutable.
 */
final class Arguments {

    private static final Set<String> OF_THE_ENGINE =
            Set.of("spring", "server", "springdoc", "stillwater", "management", "logging");
    private static final String CONFIG = "--config";
    private static final String DATA = "--data";

    private final Map<String, String> values = new HashMap<>();
    private final Set<String> flags = new HashSet<>();
    private final List<String> words = new ArrayList<>();
    private final List<String> engine = new ArrayList<>();

    /** Wrong usage, with its description. */
    static final class WrongUsage extends Exception {
        private static final long serialVersionUID = 1L;

        WrongUsage(String message) {
            super(message);
        }
    }

    /**
     * Reads a command line.
     *
     * @param valued the program's options that have a value
     * @param flags those that have none
     */
    Arguments(List<String> arguments, Set<String> valued, Set<String> flags) throws WrongUsage {
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String given = rest.next();
            int equals = given.startsWith("--") ? given.indexOf('=') : -1;
            String option = equals < 0 ? given : given.substring(0, equals);
            if (!given.startsWith("--")) {
                words.add(given);
            } else if (isOfTheEngine(option)) {
                if (equals < 0) {
                    throw new WrongUsage("write " + option + "=VALUE");
                }
                engine.add(given);
            } else if (flags.contains(given)) {
                this.flags.add(given);
            } else if (valued.contains(option) || option.equals(CONFIG) || option.equals(DATA)) {
                if (equals < 0 && !rest.hasNext()) {
                    throw new WrongUsage(option + " needs a value");
                }
                if (values.put(option, equals < 0 ? rest.next() : given.substring(equals + 1))
                        != null) {
                    throw new WrongUsage(option + " is given twice");
                }
            } else {
                throw new WrongUsage("there is no option " + given);
            }
        }
    }

    private static boolean isOfTheEngine(String option) {
        int dot = option.indexOf('.');
        return dot > 2 && OF_THE_ENGINE.contains(option.substring(2, dot));
    }

    boolean has(String flag) {
        return flags.contains(flag);
    }

    @Nullable String value(String option) {
        return values.get(option);
    }

    @Nullable Path file(String option) {
        String value = values.get(option);
        return value == null ? null : Path.of(value);
    }

    /** Arguments that are no options. */
    List<String> words() {
        return words;
    }

    /** The one word there must be. */
    String word(String what) throws WrongUsage {
        if (words.size() != 1) {
            throw new WrongUsage(words.isEmpty() ? what + " is missing" : "name one " + what);
        }
        return words.getFirst();
    }

    void noWords() throws WrongUsage {
        if (!words.isEmpty()) {
            throw new WrongUsage("unknown word " + words.getFirst());
        }
    }

    /**
     * The settings that the engine would see with these options.
     *
     * @throws Failed if a file of settings cannot be read
     */
    GivenSettings settings() throws Failed {
        List<String> options = new ArrayList<>(engine);
        String data = values.get(DATA);
        if (data != null) {
            options.add("--stillwater.data-folder=" + Path.of(data).toAbsolutePath());
        }
        try {
            return GivenSettings.read(options, values.get(CONFIG));
        } catch (RuntimeException e) {
            throw new Failed(
                    "the settings cannot be read: "
                            + NestedExceptionUtils.getMostSpecificCause(e).getMessage(),
                    e);
        }
    }
}
