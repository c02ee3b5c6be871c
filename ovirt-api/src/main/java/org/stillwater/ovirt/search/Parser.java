package org.stillwater.ovirt.search;

import java.util.ArrayList;
import java.util.List;
import org.stillwater.ovirt.search.Query.Condition;

/**
 * Reads a query. There are no parentheses, so the tree is never deeper than three: alternatives of
 * conjunctions of terms, and nothing here calls itself.
 */
final class Parser {

    private final List<Token> tokens;
    private final int maxTerms;
    private int at;
    private int terms;

    private Parser(List<Token> tokens, int maxTerms) {
        this.tokens = tokens;
        this.maxTerms = maxTerms;
    }

    static Query parse(String text, SearchLimits limits) throws Malformed {
        if (text.length() > limits.maxCharacters()) {
            throw new Malformed("the query is too long");
        }
        List<Token> tokens = Token.split(text);
        return tokens.isEmpty() ? Query.EVERYTHING : new Parser(tokens, limits.maxTerms()).query();
    }

    private Query query() throws Malformed {
        Condition condition = startsTail() ? null : alternatives();
        Query.Order order = null;
        Integer page = null;
        if (takes("sortby")) {
            String field = word();
            boolean descending = takes("desc");
            if (!descending) {
                boolean _ = takes("asc");
            }
            order = new Query.Order(field, descending);
        }
        if (takes("page")) {
            page = number(word());
        }
        if (at < tokens.size()) {
            throw new Malformed("something follows the end");
        }
        return new Query(condition, order, page);
    }

    private Condition alternatives() throws Malformed {
        List<Condition> any = new ArrayList<>();
        List<Condition> all = new ArrayList<>();
        all.add(term());
        while (at < tokens.size() && !startsTail()) {
            if (takes("or")) {
                any.add(conjunction(all));
                all = new ArrayList<>();
            } else {
                boolean _ = takes("and");
            }
            all.add(term());
        }
        any.add(conjunction(all));
        return any.size() == 1 ? any.getFirst() : new Condition.Any(List.copyOf(any));
    }

    private static Condition conjunction(List<Condition> all) {
        return all.size() == 1 ? all.getFirst() : new Condition.All(List.copyOf(all));
    }

    private Condition term() throws Malformed {
        if (++terms > maxTerms) {
            throw new Malformed("the query has too many terms");
        }
        Token.Word first = next();
        boolean compared =
                !first.quoted() && at < tokens.size() && tokens.get(at) instanceof Token.Op;
        if (!compared) {
            if (first.is("and") || first.is("or")) {
                throw new Malformed("a term is missing");
            }
            return new Condition.Free(first.text());
        }
        Operator operator = ((Token.Op) tokens.get(at++)).operator();
        String value = next().text();
        String name = first.text();
        int dot = name.indexOf('.');
        return dot < 0
                ? new Condition.Compared(null, name, operator, value)
                : new Condition.Compared(
                        name.substring(0, dot), name.substring(dot + 1), operator, value);
    }

    /**
     * Whether the order and page of the list begin here, instead of a comparison of a field of that
     * name.
     */
    private boolean startsTail() {
        return at < tokens.size()
                && tokens.get(at) instanceof Token.Word word
                && (word.is("sortby") || word.is("page"))
                && !(at + 1 < tokens.size() && tokens.get(at + 1) instanceof Token.Op);
    }

    private boolean takes(String keyWord) {
        boolean there =
                at < tokens.size() && tokens.get(at) instanceof Token.Word word && word.is(keyWord);
        if (there) {
            at++;
        }
        return there;
    }

    private Token.Word next() throws Malformed {
        if (at < tokens.size() && tokens.get(at) instanceof Token.Word word) {
            at++;
            return word;
        }
        throw new Malformed("a word is missing");
    }

    private String word() throws Malformed {
        return next().text();
    }

    private static int number(String text) throws Malformed {
        try {
            int page = Integer.parseInt(text);
            if (page >= 1) {
                return page;
            }
        } catch (NumberFormatException _) {
            // reported below
        }
        throw new Malformed("pages are numbered from 1");
    }
}
