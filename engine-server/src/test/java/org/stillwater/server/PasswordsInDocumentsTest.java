package org.stillwater.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * No page shows a password or a token on a command line, where other users of the machine see it in
 * the list of processes. The password of the demo, which is no secret, stands in programs only.
 */
class PasswordsInDocumentsTest {

    private static final Path ROOT = Path.of("..");

    /** A line of a shell that gives a secret to a command. */
    private static final List<Pattern> ON_A_COMMAND_LINE =
            List.of(
                    Pattern.compile("(^|\\s)(-u|--user)[ =]\\S+:\\S"),
                    Pattern.compile("://[^/\\s@:]+:[^/\\s@]+@"),
                    Pattern.compile("--?[\\w.-]*(password|secret|token)=(?!FILE)\\S"),
                    Pattern.compile("\\b\\w*(PASSWORD|PGPASS|SECRET)=\\S"),
                    Pattern.compile("(-H|--header)[ =]['\"]?Authorization"),
                    Pattern.compile("--data-urlencode ['\"]?password="),
                    Pattern.compile("[?&]password="),
                    Pattern.compile("-d\\s+['\"].*\"(password|current|new)\"\\s*:"));

    private static final Set<String> SHELLS = Set.of("sh", "bash", "console");

    private static List<Path> pages() throws IOException {
        List<Path> pages =
                new ArrayList<>(List.of(ROOT.resolve("README.md"), ROOT.resolve("SECURITY.md")));
        try (Stream<Path> all = Files.walk(ROOT.resolve("docs"))) {
            all.filter(each -> each.toString().endsWith(".md")).forEach(pages::add);
        }
        return pages;
    }

    private static boolean isShown(String line) {
        return ON_A_COMMAND_LINE.stream().anyMatch(each -> each.matcher(line).find());
    }

    @Test
    void noPageShowsASecretOnACommandLine() throws IOException {
        List<String> wrong = new ArrayList<>();
        for (Path page : pages()) {
            shown(Files.readAllLines(page)).forEach(line -> wrong.add(page + ": " + line));
        }
        assertThat(wrong).isEmpty();
    }

    /** Lines in blocks of a shell, which stand in lists too, where they are indented. */
    private static List<String> shown(List<String> page) {
        List<String> wrong = new ArrayList<>();
        boolean shell = false;
        for (String line : page) {
            String text = line.strip();
            if (text.startsWith("```")) {
                shell = SHELLS.contains(text.substring(3));
            } else if (shell && isShown(text)) {
                wrong.add(text);
            }
        }
        return wrong;
    }

    @Test
    void aBlockInAListIsReadToo() {
        assertThat(
                        shown(
                                List.of(
                                        "1. Ask:",
                                        "   ```sh",
                                        "   curl -u admin@internal:SHOWN https://localhost",
                                        "   ```",
                                        "   curl -u admin@internal:TEXT https://localhost")))
                .containsExactly("curl -u admin@internal:SHOWN https://localhost");
    }

    @Test
    void helpOfTheLauncherShowsNone() throws IOException {
        boolean help = false;
        List<String> wrong = new ArrayList<>();
        for (String line : Files.readAllLines(ROOT.resolve("stillwater"))) {
            if (line.contains("<<HELP")) {
                help = true;
            } else if (line.equals("HELP")) {
                help = false;
            } else if (help && isShown(line)) {
                wrong.add(line);
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void theTestKnowsSecretsWhenItSeesThem() {
        assertThat(
                        List.of(
                                "curl -u admin@internal:SHOWN https://localhost",
                                "curl --user a:b x",
                                "PGPASSWORD=x psql",
                                "x --spring.datasource.password=\"$(cat f)\"",
                                "curl -H \"Authorization: Bearer $TOKEN\" x",
                                "curl --data-urlencode \"password=$PW\" x",
                                "curl 'https://x/token?a=b&password=c'",
                                "curl -d '{\"current\": \"a\"}'",
                                "psql postgresql://a:b@c/d"))
                .allMatch(PasswordsInDocumentsTest::isShown);
        assertThat(
                        List.of(
                                "curl --user admin@internal https://localhost:8443",
                                "curl -K engine.curl https://x",
                                "curl --data-urlencode password@file x"))
                .noneMatch(PasswordsInDocumentsTest::isShown);
    }
}
