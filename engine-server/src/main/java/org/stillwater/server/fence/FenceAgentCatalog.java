package org.stillwater.server.fence;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.stillwater.core.fence.FenceAgent;
import org.stillwater.server.fence.FenceOption.Kind;

/**
 * Which fence agents there are and which options each may be given: an allow list. It comes with
 * the engine ({@code agents.txt}, made from the agents' own metadata); for further agents, the
 * operator puts their metadata as {@code fence_NAME.xml} into a folder. No agent is run for that.
 * An agent that is in neither is run without options. Immutable.
 *
 * <p>The same check is made when an agent is defined and before every use, because earlier versions
 * took any option: such an agent is kept, and refused with a reason.
 */
public final class FenceAgentCatalog {

    private static final String TABLE = "agents.txt";
    private static final int MOST_FILES = 1_000;
    private static final int LARGEST_FILE = 256 * 1024;
    private static final Pattern FILE = Pattern.compile("fence_([a-z0-9][a-z0-9_]{0,63})\\.xml");

    /** A DNS name or an IP address, with the zone of a link-local one. */
    private static final Pattern ADDRESS =
            Pattern.compile("[A-Za-z0-9:\\[][A-Za-z0-9.:%_\\]-]{0,254}");

    /** Agents put the user into command lines: no blank, no quote, no - at the beginning. */
    private static final Pattern USER =
            Pattern.compile("[A-Za-z0-9._@+=][A-Za-z0-9._@+=\\\\-]{0,253}(?<!\\\\)");

    /** Unicode's characters that end a line somewhere, besides ISO control characters. */
    private static final String LINE_ENDS = "\u2028\u2029";

    private final Map<String, Map<String, FenceOption>> agents;
    private final Set<String> never;
    private final Map<String, String> unusable;

    private FenceAgentCatalog(
            Map<String, Map<String, FenceOption>> agents,
            Set<String> never,
            Map<String, String> unusable) {
        this.agents = agents;
        this.never = Set.copyOf(never);
        this.unusable = unusable;
    }

    /** The agents that come with the engine. */
    public static FenceAgentCatalog shipped() {
        return load(null);
    }

    /**
     * The agents that come with the engine, and those with metadata in a folder. A file that cannot
     * be read as metadata is named by {@link #unusable()}; nothing is taken from it.
     *
     * @param metadata folder of files {@code fence_NAME.xml}; null for none
     */
    public static FenceAgentCatalog load(@Nullable Path metadata) {
        Map<String, Map<String, FenceOption>> agents = new TreeMap<>();
        Set<String> never = new HashSet<>();
        try (InputStream table =
                Objects.requireNonNull(FenceAgentCatalog.class.getResourceAsStream(TABLE), TABLE)) {
            readTable(table, agents, never);
        } catch (IOException e) {
            throw new IllegalStateException("the program lacks its table " + TABLE, e);
        }
        Map<String, String> unusable = new TreeMap<>();
        if (metadata != null) {
            readFolder(metadata, agents, unusable);
        }
        return new FenceAgentCatalog(agents, never, unusable);
    }

    private static void readTable(
            InputStream table, Map<String, Map<String, FenceOption>> agents, Set<String> never)
            throws IOException {
        Map<String, FenceOption> options = new HashMap<>();
        List<String> common = List.of();
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(table, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            List<String> words = Arrays.asList(line.split(" "));
            List<String> rest = words.subList(1, words.size());
            switch (words.getFirst()) {
                case "option" -> options.put(rest.getFirst(), option(rest));
                case "common" -> common = rest;
                case "agent" -> {
                    Map<String, FenceOption> own = new TreeMap<>();
                    Stream.concat(common.stream(), rest.stream().skip(1))
                            .forEach(name ->
                                    own.put(name, Objects.requireNonNull(options.get(name), name)));
                    agents.put(rest.getFirst(), own);
                }
                case "never" -> never.addAll(rest);
                default -> throw new IOException("no such line: " + line);
            }
        }
    }

    private static FenceOption option(List<String> words) {
        Kind kind = Kind.valueOf(words.get(1).toUpperCase(Locale.ROOT));
        List<String> choices =
                kind == Kind.CHOICE
                        ? List.of(String.join(" ", words.subList(2, words.size())).split("\\|"))
                        : List.of();
        return new FenceOption(kind, choices);
    }

    private static void readFolder(
            Path folder,
            Map<String, Map<String, FenceOption>> agents,
            Map<String, String> unusable) {
        List<Path> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(folder)) {
            all.filter(file -> FILE.matcher(String.valueOf(file.getFileName())).matches())
                    .sorted()
                    .limit(MOST_FILES)
                    .forEach(files::add);
        } catch (IOException e) {
            unusable.put(folder.toString(), "it cannot be listed: " + e);
        }
        for (Path file : files) {
            var name = FILE.matcher(String.valueOf(file.getFileName()));
            if (!name.matches() || agents.containsKey(name.group(1))) {
                continue; // a file does not extend the engine's own table
            }
            try {
                if (Files.size(file) > LARGEST_FILE) {
                    throw new IOException("it is larger than " + LARGEST_FILE + " bytes");
                }
                agents.put(name.group(1), FenceAgentMetadata.options(Files.readAllBytes(file)));
            } catch (IOException e) {
                unusable.put(file.toString(), String.valueOf(e.getMessage()));
            }
        }
    }

    /** Files of metadata that could not be read, and why. */
    public Map<String, String> unusable() {
        return unusable;
    }

    /** Every known agent with its options, in order. */
    Map<String, Map<String, FenceOption>> agents() {
        return agents;
    }

    /** Whether the value of an option is never shown. */
    public boolean isSecret(String type, String name) {
        FenceOption option = agents.getOrDefault(type, Map.of()).get(name);
        return option == null || option.secret(); // a name that is not known may be anything
    }

    /**
     * Reason why an agent is not run: one clause for people, without values; null if it may be run.
     *
     * @return for an option that is not allowed, its name and those that are
     */
    public @Nullable String refusal(FenceAgent agent) {
        FenceAgent.Refused refused = refused(agent);
        return refused == null ? null : refused.getMessage();
    }

    /** The same with the refused member. */
    public FenceAgent.@Nullable Refused refused(FenceAgent agent) {
        if (never.contains(agent.type())) {
            return new FenceAgent.Refused(
                    "type", "fence_" + agent.type() + " does not switch the power of a host");
        }
        if (!ADDRESS.matcher(agent.address()).matches()) {
            return new FenceAgent.Refused(
                    "address", "its address must be a DNS name or an IP address");
        }
        String user = agent.user();
        if (user != null && !user.isEmpty() && !USER.matcher(user).matches()) {
            return new FenceAgent.Refused(
                    "user",
                    "its user must be letters, digits and . _ @ + = - \\, of which - is not first"
                            + " and \\ is not last");
        }
        if (agent.password() != null && endsLines(agent.password())) {
            return new FenceAgent.Refused(
                    "password", "its password must not hold control characters or ends of lines");
        }
        String option = optionRefusal(agent);
        return option == null ? null : new FenceAgent.Refused("options", option);
    }

    private @Nullable String optionRefusal(FenceAgent agent) {
        Map<String, FenceOption> known = agents.get(agent.type());
        if (known == null) {
            return agent.options().isEmpty()
                    ? null
                    : ("the engine does not know the options of fence_%s, so it accepts no options:"
                                    + " %s; see stillwater.fencing.power.metadata")
                            .formatted(agent.type(), String.join(", ", agent.options().keySet()));
        }
        for (Map.Entry<String, String> given : agent.options().entrySet()) {
            FenceOption option = known.get(given.getKey());
            if (option == null) {
                return "fence_%s takes no option %s here; it takes %s"
                        .formatted(agent.type(), given.getKey(), String.join(", ", known.keySet()));
            }
            String expected = option.refusal(given.getValue());
            if (expected != null) {
                return "its option %s must be %s".formatted(given.getKey(), expected);
            }
        }
        return null;
    }

    private static boolean endsLines(String text) {
        return text.chars().anyMatch(c -> Character.isISOControl(c) || LINE_ENDS.indexOf(c) >= 0);
    }
}
