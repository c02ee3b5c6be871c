package org.stillwater.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every link of the documents leads to a file and a heading that exist, and the index lists every
 * page.
 */
class DocumentLinksTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path DOCS = ROOT.resolve("docs");
    private static final Path INDEX = DOCS.resolve("README.md");

    /** Target of a Markdown link, without a title. */
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");

    private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *```.*?^ *```");
    private static final Pattern INLINE_CODE = Pattern.compile("`[^`\\n]*`");
    private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+)$");

    private record Link(Path file, String anchor) {}

    @Test
    void everyLinkLeadsSomewhere() throws IOException {
        List<String> broken = new ArrayList<>();
        int links = 0;
        for (Path page : pages()) {
            for (String target : targets(page)) {
                Link link = resolve(page, target);
                links++;
                if (!Files.exists(link.file())) {
                    broken.add(ROOT.relativize(page) + ": no file " + target);
                } else if (!link.anchor().isEmpty()
                        && link.file().toString().endsWith(".md")
                        && !anchors(link.file()).contains(link.anchor())) {
                    broken.add(ROOT.relativize(page) + ": no heading " + target);
                }
            }
        }
        assertThat(broken).isEmpty();
        assertThat(links).isGreaterThan(300);
    }

    @Test
    void theIndexListsEveryPage() throws IOException {
        Set<Path> listed = new HashSet<>();
        for (String target : targets(INDEX)) {
            listed.add(resolve(INDEX, target).file());
        }
        try (Stream<Path> files = Files.walk(DOCS)) {
            assertThat(files.filter(DocumentLinksTest::isPage))
                    .allSatisfy(page ->
                            assertThat(page.equals(INDEX) || listed.contains(page))
                                    .as("docs/README.md lists %s", DOCS.relativize(page))
                                    .isTrue());
        }
    }

    private static List<Path> pages() throws IOException {
        List<Path> pages = new ArrayList<>();
        try (Stream<Path> top = Files.list(ROOT);
                Stream<Path> docs = Files.walk(DOCS)) {
            Stream.concat(top, docs).filter(DocumentLinksTest::isPage).forEach(pages::add);
        }
        return pages;
    }

    private static boolean isPage(Path file) {
        return file.toString().endsWith(".md");
    }

    /** Targets within the checkout. */
    private static List<String> targets(Path page) throws IOException {
        String text = CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
        Matcher link = LINK.matcher(INLINE_CODE.matcher(text).replaceAll("code"));
        List<String> targets = new ArrayList<>();
        while (link.find()) {
            if (!link.group(1).contains("://") && !link.group(1).startsWith("mailto:")) {
                targets.add(link.group(1));
            }
        }
        return targets;
    }

    private static Link resolve(Path page, String target) {
        int hash = target.indexOf('#');
        String path = hash < 0 ? target : target.substring(0, hash);
        Path file = path.isEmpty() ? page : page.resolveSibling(path).normalize();
        return new Link(file, hash < 0 ? "" : target.substring(hash + 1));
    }

    /** The anchors of a page's headings, as web front ends of Git make them. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = new HashSet<>();
        Matcher heading =
                HEADING.matcher(CODE_BLOCK.matcher(Files.readString(page)).replaceAll(""));
        while (heading.find()) {
            String anchor =
                    heading.group(1)
                            .strip()
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("[^\\p{L}\\p{N} _-]", "")
                            .replace(' ', '-');
            int copies = 0;
            String unique = anchor;
            while (!anchors.add(unique)) {
                copies++;
                unique = anchor + "-" + copies;
            }
        }
        return anchors;
    }
}
