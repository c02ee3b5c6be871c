package org.stillwater.server.dependencies;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code ./stillwater check-dependencies}: which libraries of the engine have known
 * vulnerabilities, by a database that is supplied. It opens no connection.
 */
public final class CheckDependencies {

    private static final String OWN = "/META-INF/sbom/application.cdx.json";
    private static final int FOUND = 1;
    private static final int UNUSABLE = 2;

    private static final String HELP =
            """
            Usage: stillwater check-dependencies --database PATH [options]

            Compares the engine's libraries with a database of known vulnerabilities. It needs no network.

              --database PATH   the database, in OSV's format: the zip file that osv.dev exports for the ecosystem
                                Maven, a folder of its JSON files, or one of them
              --sbom FILE       another SBOM than the engine's own: CycloneDX in JSON
              --accept FILE     vulnerabilities that were looked at: a line each, its id and the reason
              --help            this text

            Exit code: 0 nothing is known, 1 a vulnerability is known that is not accepted, 2 wrong usage, or a
            file that cannot be used.
            """;

    private final PrintStream out;
    private final PrintStream err;

    private CheckDependencies(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Runs the program. */
    public static void main(String[] arguments) {
        System.exit(run(List.of(arguments), System.out, System.err));
    }

    /** Runs it and returns its exit code. */
    static int run(List<String> arguments, PrintStream out, PrintStream err) {
        CheckDependencies program = new CheckDependencies(out, err);
        try {
            return program.run(arguments);
        } catch (WrongUsage e) {
            err.println(e.getMessage() + "; see --help");
            return UNUSABLE;
        }
    }

    private static final class WrongUsage extends Exception {
        WrongUsage(String message) {
            super(message);
        }
    }

    private int run(List<String> arguments) throws WrongUsage {
        @Nullable Path database = null;
        @Nullable Path sbom = null;
        @Nullable Path accepted = null;
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String given = rest.next();
            int equals = given.startsWith("--") ? given.indexOf('=') : -1;
            String option = equals < 0 ? given : given.substring(0, equals);
            if (option.equals("--help")) {
                out.print(HELP);
                return 0;
            }
            if (!Set.of("--database", "--sbom", "--accept").contains(option)) {
                throw new WrongUsage("there is no option " + given);
            }
            if (equals < 0 && !rest.hasNext()) {
                throw new WrongUsage(option + " needs a value");
            }
            Path value = Path.of(equals < 0 ? rest.next() : given.substring(equals + 1));
            switch (option) {
                case "--database" -> database = value;
                case "--sbom" -> sbom = value;
                default -> accepted = value;
            }
        }
        if (database == null) {
            throw new WrongUsage("--database is missing");
        }
        return check(database, sbom, accepted);
    }

    private int check(Path databasePath, @Nullable Path sbom, @Nullable Path acceptedPath) {
        Path current = acceptedPath == null ? Path.of(OWN) : acceptedPath;
        try {
            Map<String, String> accepted = acceptedPath == null ? Map.of() : accepted(acceptedPath);
            current = sbom == null ? Path.of(OWN) : sbom;
            Set<Library> libraries =
                    Sbom.libraries(sbom == null ? ownSbom() : Files.readAllBytes(sbom));
            current = databasePath;
            VulnerabilityDatabase database = VulnerabilityDatabase.read(databasePath, libraries);
            return told(libraries, database, accepted);
        } catch (IOException e) {
            err.println("cannot use " + current + ": " + (e.getMessage() == null ? e : reason(e)));
            return UNUSABLE;
        }
    }

    private static String reason(IOException e) {
        return e instanceof java.nio.file.NoSuchFileException
                ? "there is no such file"
                : String.valueOf(e.getMessage());
    }

    private static byte[] ownSbom() throws IOException {
        try (InputStream own = CheckDependencies.class.getResourceAsStream(OWN)) {
            if (own == null) {
                throw new IOException(
                        "this build has no SBOM: Maven makes none when it runs offline (-o)");
            }
            return own.readAllBytes();
        }
    }

    /** Ids and reasons. */
    private static Map<String, String> accepted(Path file) throws IOException {
        Map<String, String> accepted = new LinkedHashMap<>();
        for (String line : Files.readAllLines(file)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            List<String> words = Arrays.asList(line.strip().split("\\s+", 2));
            if (words.size() < 2) {
                throw new IOException("the line \"" + line.strip() + "\" gives no reason");
            }
            accepted.put(words.getFirst(), words.getLast());
        }
        return accepted;
    }

    private int told(
            Set<Library> libraries, VulnerabilityDatabase database, Map<String, String> accepted) {
        int found = 0;
        int excused = 0;
        for (Library library : libraries) {
            for (Vulnerability each : database.of(library)) {
                String reason =
                        accepted.entrySet().stream()
                                .filter(entry -> each.isCalled(entry.getKey()))
                                .map(Map.Entry::getValue)
                                .findFirst()
                                .orElse(null);
                out.println(line(library, each, reason));
                if (reason == null) {
                    found++;
                } else {
                    excused++;
                }
            }
        }
        out.printf(
                "%d libraries, %d records%s: %d %s known, %d accepted%n",
                libraries.size(),
                database.records(),
                database.newest().isEmpty() ? "" : " (newest of " + database.newest() + ")",
                found,
                found == 1 ? "vulnerability" : "vulnerabilities",
                excused);
        return found == 0 ? 0 : FOUND;
    }

    private static String line(Library library, Vulnerability each, @Nullable String reason) {
        StringBuilder line = new StringBuilder().append(library).append(' ').append(each.id());
        if (!each.aliases().isEmpty()) {
            line.append(" (").append(String.join(", ", each.aliases())).append(')');
        }
        if (!each.severity().isEmpty()) {
            line.append(' ').append(each.severity());
        }
        if (!each.summary().isEmpty()) {
            line.append(": ").append(each.summary());
        }
        String fixed = each.fixedIn(library.version());
        line.append(fixed == null ? "; no fixed version is known" : "; fixed in " + fixed);
        if (reason != null) {
            line.append("; accepted: ").append(reason);
        }
        return line.toString();
    }
}
