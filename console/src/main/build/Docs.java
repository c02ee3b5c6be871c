import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.commonmark.Extension;
import org.commonmark.ext.gfm.tables.TablesExtension;
import org.commonmark.node.AbstractVisitor;
import org.commonmark.node.Code;
import org.commonmark.node.FencedCodeBlock;
import org.commonmark.node.Heading;
import org.commonmark.node.Image;
import org.commonmark.node.Link;
import org.commonmark.node.Node;
import org.commonmark.node.SoftLineBreak;
import org.commonmark.node.Text;
import org.commonmark.parser.Parser;
import org.commonmark.renderer.html.HtmlRenderer;

/*
 * Makes the documentation's static site of the pages in docs/ and of those beside it: one HTML file for
 * each page, the files that pages show, and an index for the search. A link that leads nowhere, in a page
 * or to a heading, fails the build. Pages have no script and no style of their own.
 *
 * Runs from source, java -cp CLASSPATH Docs.java CHECKOUT SOURCES OUTPUT: it needs a JDK and commonmark.
 */

static final List<Extension> EXTENSIONS = List.of(TablesExtension.create());
static final Parser PARSER = Parser.builder().extensions(EXTENSIONS).build();

/** Pages beside docs/, and where the site has them. */
static final Map<String, String> BESIDE =
        Map.of(
                "README.md", "about.html",
                "CHANGELOG.md", "changelog.html",
                "CONTRIBUTING.md", "contributing.html",
                "SECURITY.md", "security.html");

static final String DOCS = "docs/";

/** A page: the path of its source, its path in the site, and its text. */
record Page(String source, String target, Node document, String title, Map<Heading, String> anchors) {}

final Map<String, Page> pages = new TreeMap<>();
final List<String> broken = new ArrayList<>();
Path checkout;

void main(String[] args) throws Exception {
    checkout = Path.of(args[0]).toAbsolutePath().normalize();
    Path sources = Path.of(args[1]);
    Path output = Path.of(args[2]);
    Files.createDirectories(output);
    List<String> others = new ArrayList<>();
    try (Stream<Path> all = Files.walk(checkout.resolve("docs"))) {
        for (Path each : all.filter(Files::isRegularFile).sorted().toList()) {
            String name = checkout.relativize(each).toString().replace('\\', '/');
            if (name.endsWith(".md")) {
                read(name, target(name));
            } else {
                others.add(name);
            }
        }
    }
    for (String name : BESIDE.keySet()) {
        read(name, BESIDE.get(name));
    }
    for (Page page : pages.values()) {
        write(output.resolve(page.target()), html(page));
    }
    for (String name : others) {
        Path file = output.resolve(name.substring(DOCS.length()));
        Files.createDirectories(file.getParent());
        Files.write(file, Files.readAllBytes(checkout.resolve(name)));
    }
    for (String name : List.of("docs.css", "docs.js")) {
        Files.write(output.resolve(name), Files.readAllBytes(sources.resolve(name)));
    }
    write(output.resolve("search.json"), index());
    if (!broken.isEmpty()) {
        broken.forEach(System.err::println);
        throw new IOException(broken.size() + " links of the documentation lead nowhere");
    }
}

String target(String source) {
    String name = source.substring(DOCS.length());
    return name.equals("README.md") ? "index.html" : name.replaceAll("\\.md$", ".html");
}

void read(String source, String target) throws IOException {
    Node document = PARSER.parse(Files.readString(checkout.resolve(source)));
    Map<Heading, String> anchors = new LinkedHashMap<>();
    Map<String, Integer> used = new HashMap<>();
    List<String> titles = new ArrayList<>();
    document.accept(new AbstractVisitor() {
        @Override
        public void visit(Heading heading) {
            String text = text(heading);
            titles.add(text);
            String slug =
                    text.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-');
            int before = used.merge(slug, 1, Integer::sum) - 1;
            anchors.put(heading, before == 0 ? slug : slug + "-" + before);
        }
    });
    String title = titles.isEmpty() ? source : titles.getFirst();
    pages.put(source, new Page(source, target, document, title, anchors));
}

/** The words of a node. */
String text(Node node) {
    StringBuilder words = new StringBuilder();
    node.accept(new AbstractVisitor() {
        @Override
        public void visit(Text text) {
            words.append(text.getLiteral());
        }

        @Override
        public void visit(Code code) {
            words.append(code.getLiteral());
        }

        @Override
        public void visit(FencedCodeBlock block) {
            words.append(block.getLiteral()).append(' ');
        }

        @Override
        public void visit(SoftLineBreak line) {
            words.append(' ');
        }

        @Override
        protected void visitChildren(Node parent) {
            super.visitChildren(parent);
            if (parent instanceof org.commonmark.node.Block
                    || parent instanceof org.commonmark.ext.gfm.tables.TableCell) {
                words.append(' ');
            }
        }
    });
    return words.toString().replaceAll("\\s+", " ").strip();
}

// ---------------------------------------------------------------------------------------- pages

String html(Page page) {
    String up = "../".repeat((int) page.target().chars().filter(c -> c == '/').count());
    List<Link> links = new ArrayList<>();
    page.document().accept(new AbstractVisitor() {
        @Override
        public void visit(Link link) {
            links.add(link);
            visitChildren(link);
        }

        @Override
        public void visit(Image image) {
            String place = place(page, image.getDestination());
            if (place == null || !place.startsWith(DOCS)) {
                broken.add(page.source() + ": no image " + image.getDestination());
            } else {
                image.setDestination(up + place.substring(DOCS.length()));
            }
        }
    });
    links.forEach(link -> resolve(page, up, link));
    String body =
            HtmlRenderer.builder()
                    .extensions(EXTENSIONS)
                    .escapeHtml(true)
                    .omitSingleParagraphP(false)
                    .attributeProviderFactory(_ -> (node, tag, attributes) -> {
                        if (node instanceof Heading heading && tag.startsWith("h")) {
                            attributes.put("id", page.anchors().getOrDefault(heading, ""));
                        }
                    })
                    .build()
                    .render(withoutComments(page.document()));
    StringBuilder contents = new StringBuilder();
    page.anchors().forEach((heading, anchor) -> {
        if (heading.getLevel() == 2) {
            contents.append("<li><a href=\"#").append(anchor).append("\">")
                    .append(escaped(text(heading))).append("</a></li>\n");
        }
    });
    return """
    <!doctype html>
    <html lang="en" data-root="%s">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>%s – Stillwater</title>
    <link rel="icon" href="%s../icon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="%sdocs.css">
    <script src="%sdocs.js" defer></script>
    </head>
    <body>
    <header>
    <a class="home" href="%sindex.html">Stillwater documentation</a>
    <form role="search"><label for="search">Search</label>
    <input id="search" type="search" autocomplete="off" aria-controls="results"></form>
    </header>
    <ul id="results" hidden></ul>
    <div class="page">
    <nav aria-label="On this page"><ul>
    %s</ul></nav>
    <main>
    %s</main>
    </div>
    </body>
    </html>
    """
            .formatted(up, escaped(page.title()), up, up, up, up, contents, body);
}

/** Comments mark generated parts for programs; escaped, they would be shown. */
Node withoutComments(Node document) {
    List<Node> comments = new ArrayList<>();
    document.accept(new AbstractVisitor() {
        @Override
        public void visit(org.commonmark.node.HtmlBlock block) {
            if (block.getLiteral().startsWith("<!--")) {
                comments.add(block);
            }
        }
    });
    comments.forEach(Node::unlink);
    return document;
}

/** Directs a link to the page of the site; a link to a missing page becomes plain text. */
void resolve(Page page, String up, Link link) {
    String destination = link.getDestination();
    if (destination.matches("[a-z]+:.*")) {
        return;
    }
    int hash = destination.indexOf('#');
    String file = hash < 0 ? destination : destination.substring(0, hash);
    String anchor = hash < 0 ? "" : destination.substring(hash + 1);
    String place = file.isEmpty() ? page.source() : place(page, file);
    if (place == null) {
        broken.add(page.source() + ": no " + destination);
        return;
    }
    Page other = pages.get(place);
    if (other != null) {
        if (!anchor.isEmpty() && !other.anchors().containsValue(anchor)) {
            broken.add(page.source() + ": no heading " + destination);
        }
        String to = file.isEmpty() ? "" : up + other.target();
        link.setDestination(anchor.isEmpty() ? to : to + "#" + anchor);
    } else if (place.startsWith(DOCS) && Files.isRegularFile(checkout.resolve(place))) {
        link.setDestination(up + place.substring(DOCS.length()));
    } else if (place.equals("docs/adr")) {
        link.setDestination(up + "index.html#records");
    } else {
        for (Node child = link.getFirstChild(); child != null; child = link.getFirstChild()) {
            link.insertBefore(child);
        }
        link.unlink();
    }
}

/** Where a relative link leads to in the checkout; null if there is nothing. */
String place(Page page, String destination) {
    Path from = Path.of(page.source()).getParent();
    Path to = (from == null ? Path.of("") : from).resolve(destination).normalize();
    return Files.exists(checkout.resolve(to)) ? to.toString().replace('\\', '/') : null;
}

// --------------------------------------------------------------------------------------- search

/** Sections with their words: [page, title, [[anchor, heading, words], …]]. */
String index() {
    StringBuilder json = new StringBuilder("[");
    for (Page page : pages.values()) {
        json.append(json.length() > 1 ? ",\n[" : "\n[");
        json.append(quoted(page.target())).append(',').append(quoted(page.title())).append(",[");
        StringBuilder words = new StringBuilder();
        String anchor = "";
        String heading = page.title();
        boolean first = true;
        for (Node node = page.document().getFirstChild(); node != null; node = node.getNext()) {
            if (node instanceof Heading next) {
                if (!words.isEmpty()) {
                    section(json, first, anchor, heading, words);
                    first = false;
                }
                anchor = page.anchors().getOrDefault(next, "");
                heading = text(next);
                words.setLength(0);
            } else {
                words.append(text(node)).append(' ');
            }
        }
        section(json, first, anchor, heading, words);
        json.append("]]");
    }
    return json.append("\n]\n").toString();
}

void section(StringBuilder json, boolean first, String anchor, String heading, StringBuilder words) {
    json.append(first ? "[" : ",[").append(quoted(anchor)).append(',').append(quoted(heading))
            .append(',').append(quoted(words.toString().strip())).append(']');
}

// ---------------------------------------------------------------------------------------- texts

String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
}

String quoted(String text) {
    StringBuilder json = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
        if (c == '"' || c == '\\') {
            json.append('\\').append(c);
        } else if (c < ' ') {
            json.append("\\u%04x".formatted((int) c));
        } else {
            json.append(c);
        }
    }
    return json.append('"').toString();
}

void write(Path file, String text) throws IOException {
    Files.createDirectories(file.getParent());
    Files.writeString(file, text);
}
