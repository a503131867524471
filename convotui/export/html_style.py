"""How an exported page looks, on a phone and on a desk, by day and by night."""

from __future__ import annotations

STYLE = """\
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --ink: #23252a; --quiet: #716c64; --line: #e4dfd6;
  --raised: #f2eee6; --code: #f4f1ea; --link: #2a63a0; --marked: #fbe9a9;
  --user: #2a63a0; --assistant: #13735f; --tool: #95500b; --error: #ad2a20;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #17191c; --ink: #dfddd7; --quiet: #9a958b; --line: #32363b;
    --raised: #202328; --code: #1f2226; --link: #82b6ea; --marked: #57491b;
    --user: #82b6ea; --assistant: #5cc7a8; --tool: #dfa35c; --error: #f0877d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  overflow-wrap: anywhere;
}
main { max-width: 46rem; margin: 0 auto; padding: 2.5rem 1.25rem 6rem;
  overflow-x: clip; }
a { color: var(--link); text-underline-offset: .15em; }

.page { margin-bottom: 2rem; }
.page h1 { margin: 0; font-size: 1.625rem; line-height: 1.25; text-wrap: balance; }
.page p { margin: .375rem 0 0; color: var(--quiet); font-size: .875rem; }

article { margin: 0 0 1.75rem; scroll-margin-top: 1rem; --role: var(--quiet); }
article.user {
  --role: var(--user); padding: .875rem 1.125rem; border-radius: .875rem;
  background: var(--raised);
}
article.assistant { --role: var(--assistant); }
article.tool_result { --role: var(--tool); }
article:target { outline: 2px solid var(--role); outline-offset: .5rem; }
article > header {
  display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .75rem;
  margin-bottom: .375rem; color: var(--quiet); font-size: .8125rem;
}
article > header b { color: var(--role); font-weight: 650; }
article > header b::before {
  content: ""; display: inline-block; width: .5em; height: .5em; margin-right: .5em;
  border-radius: 50%; background: currentColor; vertical-align: .08em;
}
article > header a { margin-left: auto; color: inherit; text-decoration: none; }
article > header a:hover { text-decoration: underline; }
article > header a, code, pre {
  font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace;
}
mark { padding: 0 .4em; border-radius: .3em; background: none; color: var(--error);
  box-shadow: inset 0 0 0 1px currentColor; }
.label {
  display: inline-block; max-width: 100%; margin: 0 0 .5rem; padding: .05em .6em;
  border-radius: .4em;
  background: var(--marked); font-size: .875rem; font-weight: 600;
}
.note { margin: .5rem 0; color: var(--quiet); font-size: .875rem; font-style: italic; }

.text > :first-child { margin-top: 0; }
.text > :last-child { margin-bottom: 0; }
.text p, .text ul, .text ol, .text pre, .text blockquote, .wide { margin: .75rem 0; }
.text h1, .text h2, .text h3, .text h4, .text h5, .text h6 {
  margin: 1.5rem 0 .5rem; font-size: 1.0625rem; line-height: 1.35;
}
.text h1 { font-size: 1.3125rem; }
.text h2 { font-size: 1.1875rem; }
.text ul, .text ol { padding-left: 1.5rem; }
.text li + li { margin-top: .25rem; }
.text li > p { margin: .375rem 0; }
.text blockquote {
  margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line);
  color: var(--quiet);
}
.text hr { margin: 1.5rem 0; border: 0; border-top: 1px solid var(--line); }
code { padding: .1em .3em; border-radius: .3em; background: var(--code);
  font-size: .875em; }
.user code, .user pre { background: var(--paper); }
pre {
  margin: .75rem 0; padding: .75rem 1rem; border-radius: .625rem;
  background: var(--code); font-size: .8125rem; line-height: 1.5;
  overflow-x: auto; overflow-wrap: normal; tab-size: 4;
}
pre code { padding: 0; background: none; font-size: inherit; }
.wide { overflow-x: auto; overflow-wrap: normal; }
table { border-collapse: collapse; font-size: .9375rem; }
th, td { padding: .375rem .75rem; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; }
th { font-size: .8125rem; color: var(--quiet); }
img { display: block; max-width: 100%; height: auto; margin: .75rem 0;
  border-radius: .625rem; }

summary { display: flex; align-items: baseline; gap: .5rem; cursor: pointer;
  color: var(--quiet); font-size: .8125rem; list-style: none; }
summary::-webkit-details-marker { display: none; }
summary::before { content: "▸"; flex: none; width: .75em; }
details[open] > summary::before { content: "▾"; }
summary b, summary code, summary > span { flex: none; }
summary b { font-weight: 600; }
summary .peek { flex: 0 1 auto; min-width: 0; overflow: hidden; white-space: nowrap;
  text-overflow: ellipsis; }
summary code { max-width: 50%; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; color: var(--ink); }
.aside { margin: .625rem 0; padding: .375rem .75rem; border: 1px solid var(--line);
  border-radius: .625rem; }
.aside > pre { max-height: 30rem; margin: .5rem 0 .25rem; white-space: pre-wrap;
  overflow-wrap: anywhere; overflow-y: auto; }
.aside > .text { margin: .5rem 0 .25rem; color: var(--quiet); font-size: .9375rem; }

.branch { margin: 0 0 1.75rem; padding-left: 1rem;
  border-left: 2px solid var(--line); }
.branch > summary { margin-bottom: 1rem; }
.branch > summary b { color: var(--ink); }
.branch[open] > summary .peek, .aside[open] > summary .peek { display: none; }
.branch > :last-child, .user > :last-child { margin-bottom: .25rem; }
.branch .branch .branch .branch { padding-left: .5rem; }
.branch .branch .branch .branch .branch .branch { padding-left: 0; border-left: 0; }
@media (max-width: 36rem) {
  main { padding: 1.5rem .875rem 4rem; }
  article > header a { margin-left: 0; }
  .branch { padding-left: .625rem; }
  .branch .branch .branch { padding-left: .25rem; }
}
@media print { .aside, article { break-inside: avoid; } }
"""
