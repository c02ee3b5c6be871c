package org.stillwater.ovirt.codec;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.stillwater.ovirt.model.Reference;
import tools.jackson.core.SerializableString;
import tools.jackson.databind.SerializationContext;

/**
 * JSON of one object after the other, as bytes that a generator copies. It keeps the encoded
 * reference to the last owner of statistics, and the begin of the last link. Of one document, and
 * of one thread.
 */
final class EncodedText implements SerializableString {

    private static final int USUAL = 1_024;
    private static final byte[] NONE = {};

    private byte[] bytes = new byte[USUAL];
    private int length;

    private @Nullable Reference owner;
    private @Nullable String member;
    private String ownerHref = "";
    private byte[] ownerAddress = NONE;
    private byte[] tail = NONE;

    private String linkBegin = "";
    private byte[] linkBeginBytes = NONE;

    /** The memory of the document that is written. */
    static EncodedText of(SerializationContext document) {
        if (document.getAttribute(EncodedText.class) instanceof EncodedText known) {
            return known;
        }
        EncodedText made = new EncodedText();
        document.setAttribute(EncodedText.class, made);
        return made;
    }

    /** Whether JSON needs no escape for any character. */
    static boolean isPlain(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (!isPlain(text.charAt(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(char one) {
        return one >= ' ' && one <= '~' && one != '"' && one != '\\';
    }

    /**
     * Names the owner of the following statistics.
     *
     * @return false if its reference has more than id and address, or must be escaped
     */
    boolean owner(String as, Reference reference) {
        Reference known = owner;
        if (known != null && as.equals(member) && known.equals(reference)) {
            return true;
        }
        String id = reference.id();
        String href = reference.href();
        if (id == null
                || href == null
                || reference.name() != null
                || !isPlain(id)
                || !isPlain(href)) {
            return false;
        }
        owner = reference;
        member = as;
        ownerHref = href;
        ownerAddress = ascii(href);
        tail = ascii(",\"%s\":{\"id\":\"%s\",\"href\":\"%s\"}}".formatted(as, id, href));
        return true;
    }

    /** Begins an object. */
    void begin(byte[] head) {
        length = 0;
        bytes(head);
    }

    /** Adds an address; false if it must be escaped. */
    boolean address(String href) {
        if (!href.startsWith(ownerHref)) {
            return plain(href, 0);
        }
        bytes(ownerAddress);
        return plain(href, ownerHref.length());
    }

    /** Adds the address of a link; false if it must be escaped. */
    boolean link(String href) {
        if (linkBegin.isEmpty() || !href.startsWith(linkBegin)) {
            String begin = href.substring(0, href.lastIndexOf('/') + 1);
            if (!isPlain(begin)) {
                return false;
            }
            linkBegin = begin;
            linkBeginBytes = ascii(begin);
        }
        bytes(linkBeginBytes);
        return plain(href, linkBegin.length());
    }

    /** Ends a statistic with its owner. */
    void end() {
        bytes(tail);
    }

    /** Adds bytes. */
    void bytes(byte[] more) {
        room(more.length);
        System.arraycopy(more, 0, bytes, length, more.length);
        length += more.length;
    }

    /** Adds the text from a character on; false if it must be escaped. */
    boolean plain(String text, int from) {
        int count = text.length();
        room(count - from);
        int at = length;
        for (int i = from; i < count; i++) {
            char one = text.charAt(i);
            if (!isPlain(one)) {
                return false;
            }
            bytes[at++] = (byte) one;
        }
        length = at;
        return true;
    }

    private void room(int more) {
        if (more > bytes.length - length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }

    /** Bytes of a plain text. */
    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public int appendUnquotedUTF8(byte[] into, int offset) {
        if (length > into.length - offset) {
            return -1;
        }
        System.arraycopy(bytes, 0, into, offset, length);
        return length;
    }

    @Override
    public byte[] asUnquotedUTF8() {
        return Arrays.copyOf(bytes, length);
    }

    @Override
    public String getValue() {
        return new String(bytes, 0, length, StandardCharsets.US_ASCII);
    }

    @Override
    public int charLength() {
        return length;
    }

    @Override
    public int writeUnquotedUTF8(OutputStream out) throws IOException {
        out.write(bytes, 0, length);
        return length;
    }

    @Override
    public int putUnquotedUTF8(ByteBuffer buffer) {
        if (length > buffer.remaining()) {
            return -1;
        }
        buffer.put(bytes, 0, length);
        return length;
    }

    @Override
    public int appendUnquoted(char[] into, int offset) {
        if (length > into.length - offset) {
            return -1;
        }
        getValue().getChars(0, length, into, offset);
        return length;
    }

    // It is JSON, no text in JSON: there is nothing to quote.

    @Override
    public char[] asQuotedChars() {
        throw new UnsupportedOperationException();
    }

    @Override
    public byte[] asQuotedUTF8() {
        throw new UnsupportedOperationException();
    }

    @Override
    public int appendQuotedUTF8(byte[] into, int offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int appendQuoted(char[] into, int offset) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int writeQuotedUTF8(OutputStream out) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int putQuotedUTF8(ByteBuffer buffer) {
        throw new UnsupportedOperationException();
    }
}
