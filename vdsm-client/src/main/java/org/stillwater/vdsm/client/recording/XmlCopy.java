package org.stillwater.vdsm.client.recording;

/**
 * Copies XML with pseudonyms in place of texts and attribute values, except words of the protocol.
 * Comments are left out. Escaped characters are compared in their escaped form, which suffices: one
 * host always escapes the same text in the same way.
 */
final class XmlCopy {

    private XmlCopy() {}

    static String of(String xml, Pseudonyms pseudonyms) {
        StringBuilder out = new StringBuilder(xml.length());
        int at = 0;
        while (at < xml.length()) {
            int tag = xml.indexOf('<', at);
            content(xml, at, tag < 0 ? xml.length() : tag, pseudonyms, out);
            if (tag < 0) {
                break;
            }
            if (xml.startsWith("<!--", tag)) {
                at = after(xml, "-->", tag);
            } else if (xml.startsWith("<![CDATA[", tag)) {
                int end = xml.indexOf("]]>", tag);
                content(xml, tag + 9, end < 0 ? xml.length() : end, pseudonyms, out);
                at = after(xml, "]]>", tag);
            } else if (xml.startsWith("<!", tag) || xml.startsWith("<?", tag)) {
                at = after(xml, ">", tag);
            } else {
                at = element(xml, tag, pseudonyms, out);
            }
        }
        return out.toString();
    }

    private static int after(String xml, String end, int from) {
        int at = xml.indexOf(end, from);
        return at < 0 ? xml.length() : at + end.length();
    }

    /** Names of elements and attributes stay, and so do the values of namespaces. */
    private static int element(String xml, int from, Pseudonyms pseudonyms, StringBuilder out) {
        int at = from;
        while (at < xml.length() && xml.charAt(at) != '>') {
            char c = xml.charAt(at);
            if (c != '"' && c != '\'') {
                out.append(c);
                at++;
                continue;
            }
            int end = xml.indexOf(c, at + 1);
            end = end < 0 ? xml.length() : end;
            String value = xml.substring(at + 1, end);
            out.append(c).append(isNamespace(out) ? value : pseudonyms.text(value)).append(c);
            at = Math.min(xml.length(), end + 1);
        }
        out.append('>');
        return at + 1;
    }

    private static boolean isNamespace(CharSequence out) {
        int end = out.length() - 1; // the equals sign
        int start = end;
        while (start > 0 && !Character.isWhitespace(out.charAt(start - 1))) {
            start--;
        }
        return out.subSequence(start, Math.max(start, end)).toString().startsWith("xmlns");
    }

    private static void content(
            String xml, int from, int to, Pseudonyms pseudonyms, StringBuilder out) {
        String text = xml.substring(from, Math.max(from, to));
        if (text.isBlank()) {
            out.append(text.isEmpty() ? "" : " ");
        } else {
            out.append(pseudonyms.text(text.strip()));
        }
    }
}
