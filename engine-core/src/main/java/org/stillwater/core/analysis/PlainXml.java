package org.stillwater.core.analysis;

import javax.xml.stream.XMLStreamConstants;
import org.jspecify.annotations.Nullable;

/**
 * Reads XML as libvirt writes it: elements, attributes in quotes, text, the five named references,
 * and prefixes that are declared. It is a scan over the string, without the tables and buffers that
 * a reader of the JDK makes for each document.
 *
 * <p>It accepts nothing that a reader of the JDK refuses or reads otherwise. Everything that needs
 * more knowledge is {@link NotPlain}, and the general reader reads the document from its begin:
 * declarations and document types, comments, instructions, CDATA sections, numeric references,
 * default namespaces, attributes with a prefix, carriage returns, line ends in attributes, {@code
 * >} in text, names of other than ASCII characters, characters from U+D800 on, unusual depths and
 * numbers, and all that is not well formed. A test compares both readers with mutated documents.
 *
 * <p>Events other than begins and ends of elements are left out. Used by one thread.
 */
final class PlainXml implements XmlCursor {

    /** The document needs the general reader. It has no stack trace. */
    static final class NotPlain extends RuntimeException {

        private NotPlain() {
            super(null, null, false, false);
        }
    }

    private static final int MOST_DEPTH = 64;
    private static final int MOST_ATTRIBUTES = 32;
    private static final int MOST_NAMESPACES = 16;
    private static final int LONGEST_NAME = 100;

    private static final String DECLARATION = "xmlns";

    /** Reserved names of namespaces begin so. */
    private static final String RESERVED = "http://www.w3.org/";

    private static final String[] REFERENCES = {"&lt;", "&gt;", "&amp;", "&quot;", "&apos;"};
    private static final String REFERENCED = "<>&\"'";

    private final String xml;
    private int at;
    private int event = XMLStreamConstants.START_DOCUMENT;

    /** Whether the present element ends where it begins. */
    private boolean empty;

    /**
     * Names of elements and attributes, which all documents have in common: each has one place, by
     * its hash, and another one of the same place takes it over. For any thread, without a lock: a
     * text is immutable, so a thread sees it whole or not at all.
     */
    private static final @Nullable String[] NAMES = new String[1 << 10];

    // Qualified names of open elements.
    private int depth;
    private final int[] openFrom = new int[MOST_DEPTH];
    private final int[] openTo = new int[MOST_DEPTH];

    // The present element.
    private String name = "";
    private @Nullable String namespace;
    private int attributes;
    private final String[] attributeNames = new String[MOST_ATTRIBUTES];
    private final int[] valueFrom = new int[MOST_ATTRIBUTES];
    private final int[] valueTo = new int[MOST_ATTRIBUTES];

    // Declarations of open elements, with the depths of these.
    private int declarations;
    private final String[] prefixes = new String[MOST_NAMESPACES];
    private final String[] namespaces = new String[MOST_NAMESPACES];
    private final int[] declaredAt = new int[MOST_NAMESPACES];

    /** At the begin of a document. */
    PlainXml(String xml) {
        this.xml = xml;
    }

    @Override
    public int event() {
        return event;
    }

    @Override
    public int next() {
        if (empty) {
            empty = false;
            end();
        } else {
            at = textEnd(at);
            if (charAt(at + 1) == '/') {
                endTag();
            } else {
                startTag();
            }
        }
        return event;
    }

    @Override
    public boolean isStart() {
        return event == XMLStreamConstants.START_ELEMENT;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public @Nullable String namespace() {
        return namespace;
    }

    @Override
    public @Nullable String attribute(String wanted) {
        for (int i = 0; i < attributes; i++) {
            if (attributeNames[i].equals(wanted)) {
                return attributeValue(i);
            }
        }
        return null;
    }

    @Override
    public int attributes() {
        return attributes;
    }

    @Override
    public String attributeName(int index) {
        return attributeNames[index];
    }

    @Override
    public String attributeValue(int index) {
        return resolved(valueFrom[index], valueTo[index]);
    }

    @Override
    public String text() {
        if (!isStart()) {
            throw new NotPlain();
        }
        int from = at;
        int to = empty ? from : textEnd(from);
        if (next() != XMLStreamConstants.END_ELEMENT) {
            throw new NotPlain();
        }
        return resolved(from, to);
    }

    private char charAt(int index) {
        if (index >= xml.length()) {
            throw new NotPlain();
        }
        return xml.charAt(index);
    }

    private static void require(boolean plain) {
        if (!plain) {
            throw new NotPlain();
        }
    }

    /** The end of the text that begins here: the next tag. */
    private int textEnd(int from) {
        int index = from;
        for (char c = charAt(index); c != '<'; c = charAt(index)) {
            boolean blank = isBlank(c);
            require(blank || (depth > 0 && c > ' ' && c < Character.MIN_SURROGATE && c != '>'));
            index += c == '&' ? REFERENCES[referenceAt(index)].length() : 1;
        }
        return index;
    }

    private static boolean isBlank(char c) {
        return c == ' ' || c == '\n' || c == '\t';
    }

    private int skipBlanks(int from) {
        int index = from;
        while (isBlank(charAt(index))) {
            index++;
        }
        return index;
    }

    /** The end of a name without a prefix that begins here. */
    private int nameEnd(int from) {
        char first = charAt(from);
        require(isLetter(first));
        int index = from + 1;
        for (char c = charAt(index); isLetter(c) || isLaterInName(c); c = charAt(index)) {
            index++;
        }
        require(index - from <= LONGEST_NAME);
        return index;
    }

    private static boolean isLetter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isLaterInName(char c) {
        return (c >= '0' && c <= '9') || c == '-' || c == '.';
    }

    private void startTag() {
        int from = at + 1;
        int nameFrom = from;
        int to = nameEnd(from);
        if (charAt(to) == ':') {
            nameFrom = to + 1;
            to = nameEnd(nameFrom);
        }
        name = shared(nameFrom, to);
        require(depth < MOST_DEPTH);
        openFrom[depth] = from;
        openTo[depth] = to;
        depth++;
        attributes = 0;
        at = afterAttributes(to);
        namespace = nameFrom == from ? null : namespaceOf(from, nameFrom - 1);
        event = XMLStreamConstants.START_ELEMENT;
    }

    /** Reads attributes, each behind a blank, and the end of the tag. */
    private int afterAttributes(int from) {
        int index = from;
        while (true) {
            int next = skipBlanks(index);
            switch (charAt(next)) {
                case '>' -> {
                    return next + 1;
                }
                case '/' -> {
                    require(charAt(next + 1) == '>');
                    empty = true;
                    return next + 2;
                }
                default -> {
                    require(next > index);
                    index = attributeEnd(next);
                }
            }
        }
    }

    private int attributeEnd(int from) {
        int to = nameEnd(from);
        boolean special = isRegion(from, to, DECLARATION);
        int prefixFrom = 0;
        if (charAt(to) == ':') {
            require(special);
            prefixFrom = to + 1;
            to = nameEnd(prefixFrom);
        } else {
            require(!special);
        }
        require(charAt(to) == '=');
        char quote = charAt(to + 1);
        require(quote == '\'' || quote == '"');
        int begin = to + 2;
        int end = begin;
        for (char c = charAt(end); c != quote; c = charAt(end)) {
            require(c >= ' ' && c < Character.MIN_SURROGATE && c != '<');
            end += c == '&' ? REFERENCES[referenceAt(end)].length() : 1;
        }
        if (special) {
            declare(xml.substring(prefixFrom, to), xml.substring(begin, end));
        } else {
            keep(shared(from, to), begin, end);
        }
        return end + 1;
    }

    private void keep(String attribute, int begin, int end) {
        require(attributes < MOST_ATTRIBUTES);
        for (int i = 0; i < attributes; i++) {
            require(!attributeNames[i].equals(attribute));
        }
        attributeNames[attributes] = attribute;
        valueFrom[attributes] = begin;
        valueTo[attributes] = end;
        attributes++;
    }

    private void declare(String prefix, String uri) {
        require(
                declarations < MOST_NAMESPACES
                        && !prefix.regionMatches(true, 0, "xml", 0, 3)
                        && !uri.isEmpty()
                        && uri.indexOf('&') < 0
                        && !uri.startsWith(RESERVED));
        for (int i = declarations - 1; i >= 0 && declaredAt[i] == depth; i--) {
            require(!prefixes[i].equals(prefix));
        }
        prefixes[declarations] = prefix;
        namespaces[declarations] = uri;
        declaredAt[declarations] = depth;
        declarations++;
    }

    private String namespaceOf(int prefixFrom, int prefixTo) {
        for (int i = declarations - 1; i >= 0; i--) {
            if (isRegion(prefixFrom, prefixTo, prefixes[i])) {
                return namespaces[i];
            }
        }
        throw new NotPlain();
    }

    private void endTag() {
        require(depth > 0);
        int from = openFrom[depth - 1];
        int length = openTo[depth - 1] - from;
        require(xml.regionMatches(at + 2, xml, from, length));
        int close = skipBlanks(at + 2 + length);
        require(charAt(close) == '>');
        at = close + 1;
        end();
    }

    private void end() {
        while (declarations > 0 && declaredAt[declarations - 1] == depth) {
            declarations--;
        }
        depth--;
        event = XMLStreamConstants.END_ELEMENT;
    }

    private boolean isRegion(int from, int to, String text) {
        return to - from == text.length() && xml.startsWith(text, from);
    }

    /** A name, in one instance for all documents where that is likely to help. */
    private String shared(int from, int to) {
        int hash = 0;
        for (int i = from; i < to; i++) {
            hash = 31 * hash + xml.charAt(i);
        }
        int place = (hash ^ (hash >>> 10)) & (NAMES.length - 1);
        String there = NAMES[place];
        if (there == null || !isRegion(from, to, there)) {
            there = xml.substring(from, to);
            NAMES[place] = there;
        }
        return there;
    }

    /** Which of the references is here. */
    private int referenceAt(int index) {
        for (int i = 0; i < REFERENCES.length; i++) {
            if (xml.startsWith(REFERENCES[i], index)) {
                return i;
            }
        }
        throw new NotPlain();
    }

    /** A part of the document with its references replaced. */
    private String resolved(int from, int to) {
        int first = xml.indexOf('&', from, to);
        if (first < 0) {
            return xml.substring(from, to);
        }
        StringBuilder text = new StringBuilder(to - from);
        int index = from;
        while (index < to) {
            char c = xml.charAt(index);
            if (c == '&') {
                int reference = referenceAt(index);
                text.append(REFERENCED.charAt(reference));
                index += REFERENCES[reference].length();
            } else {
                text.append(c);
                index++;
            }
        }
        return text.toString();
    }
}
