package org.stillwater.console;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The documentation's site has every page, and nothing that a strict content policy refuses. */
class DocumentationTest {

    private static final Path SITE = Path.of("target", "classes", "static", "docs");
    private static final Path PAGES = Path.of("..", "docs");

    private static List<Path> below(Path folder, String end) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(each -> each.toString().endsWith(end)).sorted().toList();
        }
    }

    @Test
    void everyPageIsThereAndInTheSearch() throws Exception {
        String index = Files.readString(SITE.resolve("search.json"));
        for (Path each : below(PAGES, ".md")) {
            String name = PAGES.relativize(each).toString().replace('\\', '/');
            String page =
                    name.equals("README.md") ? "index.html" : name.replaceAll("\\.md$", ".html");
            assertThat(SITE.resolve(page)).exists();
            assertThat(index).contains("[\"" + page + "\",");
        }
    }

    @Test
    void pagesHaveNoScriptNoStyleAndNothingOfOtherSites() throws Exception {
        for (Path each : below(SITE, ".html")) {
            assertThat(Files.readString(each))
                    .as(each.toString())
                    .containsOnlyOnce("<script src=\"")
                    .doesNotContain("<style", " style=", "src=\"http", "onclick", "<!-- ")
                    .doesNotContainPattern("href=\"[^\":]*\\.md[\"#]");
        }
    }

    @Test
    void everyImageIsThere() throws Exception {
        Pattern image = Pattern.compile("<img src=\"([^\"]*)\"");
        int images = 0;
        for (Path each : below(SITE, ".html")) {
            Matcher all = image.matcher(Files.readString(each));
            while (all.find()) {
                images++;
                assertThat(each.resolveSibling(all.group(1)).normalize()).exists();
            }
        }
        assertThat(images).isPositive();
    }

    @Test
    void linksLeadToPagesAndHeadings() throws Exception {
        String page = Files.readString(SITE.resolve("how-to/back-up-and-restore.html"));
        assertThat(page)
                .contains(
                        "<h2 id=\"restore\">Restore</h2>",
                        "href=\"../how-to/rotate-the-secrets-key.html\"",
                        "href=\"../docs.css\"");
    }
}
