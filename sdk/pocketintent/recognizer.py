"""The front door: a text in, a :class:`Match` out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, get_args

from pocketintent.runtime.arguments import check_choice, check_count, check_flag
from pocketintent.runtime.decision.bot import build_bot
from pocketintent.runtime.decision.registry import DECISIONS, DEFAULT_DECISION, Decision
from pocketintent.runtime.decision.results import Candidate, Match
from pocketintent.runtime.editing import EditableBot
from pocketintent.runtime.encoders.contract import Encoder
from pocketintent.runtime.errors import PocketIntentError, PocketIntentWarning, list_names
from pocketintent.runtime.index.building import Search
from pocketintent.runtime.opening import Backend, open_bot
from pocketintent.runtime.templates.files import TemplateSource, load_templates
from pocketintent.runtime.text.languages import language_warning

if TYPE_CHECKING:
    from pocketintent.runtime.decision.explain import Explanation


class IntentRecognizer(EditableBot):
    """Recognises the intent of a text from a few templates of each intent.

    Any number of threads may match while one or more edit. A recogniser can be copied and pickled;
    an edit of a copy leaves the original as it is. A pickle contains the model, or the path of an
    exported folder, and can be read by the same version of the package only.

    Args:
        encoder: The model.
        templates: A template file, the name of a shipped set, a mapping, or a set.
        decision: How an intent is scored. ``"logistic"``: by the probability that a classifier
            fitted on the templates gives it. ``"nearest"``: by the similarity to its nearest
            template; ``"nearest+centroid"``: by the mean of that and the similarity to the mean of
            its templates.
        search: ``"table"`` keeps the templates as codes; ``"exact"`` as float vectors.
        correct: Whether an unknown word of a text is read as the known word within one typing
            error of it; see :class:`pocketintent.runtime.text.correction.Corrector`.

    Raises:
        TypeError: ``encoder`` is the name of a model.
        TemplateError: The templates cannot be read.
        PocketIntentError: ``decision`` or ``search`` is unknown, or ``correct`` is not a bool.
    """

    __slots__ = ()

    def __init__(
        self,
        encoder: Encoder,
        templates: TemplateSource,
        *,
        decision: Decision = DEFAULT_DECISION,
        search: Search = "table",
        correct: bool = True,
    ) -> None:
        if isinstance(encoder, str | os.PathLike):
            raise TypeError(
                f"encoder must be a model that is open, not {encoder!r}: "
                "IntentRecognizer.load(templates, model) opens one by its name"
            )
        check_choice("decision", decision, DECISIONS)
        check_choice("search", search, get_args(Search))
        check_flag("correct", correct)
        self._open(build_bot(encoder, load_templates(templates), decision, search, correct))

    def __repr__(self) -> str:
        """The numbers of intents and templates, the decision, the search and the encoder."""
        intents = self._bot.templates.intents
        templates = sum(len(intent.templates) for intent in intents.values())
        return (
            f"<IntentRecognizer: {len(intents)} intents, {templates} templates, "
            f"decision {self.decision}, search {self.search}, {self.encoder!r}>"
        )

    @classmethod
    def load(
        cls,
        templates: TemplateSource | None = None,
        model: str | os.PathLike[str] | None = None,
        *,
        decision: Decision | None = None,
        search: Search | None = None,
        correct: bool | None = None,
        backend: Backend = "numpy",
    ) -> IntentRecognizer:
        """Open a recogniser.

        Args:
            templates: A template file, the name of a shipped set, a mapping, or a set; None for
                the templates of an exported folder. Or a bot file, made by ``pocketintent build``
                or :meth:`save`, which is opened without encoding or fitting anything again.
            model: A model file or the name of a shipped model; None for the default model or the
                model of a bot file. The backends ``"onnxruntime"`` and ``"tflite"`` need a folder
                made by ``pocketintent export``.
            decision: See the class; None for the decision of an exported folder or a bot file,
                otherwise ``"logistic"``. A bot file is fitted again for another decision.
            search: See the class; None for the search of a bot file, otherwise ``"table"``. The
                templates of a bot file are encoded again for another search.
            correct: See the class; None for the choice of an exported folder or a bot file,
                otherwise True.
            backend: What computes the sentence vectors: ``"numpy"``, or the exported encoder
                graph in ``"onnxruntime"`` or ``"tflite"``, which are extras. Searching and
                editing templates is the same with each of them.

        Returns:
            The recogniser.

        Warns:
            PocketIntentWarning: The model does not speak the language of the templates.

        Raises:
            ModelFileError: The model cannot be used, or not with this backend.
            MissingExtraError: The backend is not installed.
            TemplateError: The templates cannot be used.
            PocketIntentError: No templates are given, an argument is not an allowed value, or a
                bot file is given with a model or with another backend.
        """
        check_choice("backend", backend, get_args(Backend))
        bot, manifest = open_bot(templates, model, decision, search, correct, backend)
        recognizer = cls.from_bot(bot)
        if (warning := language_warning(bot.templates.language, manifest)) is not None:
            warnings.warn(warning, PocketIntentWarning, stacklevel=2)
        return recognizer

    def match(self, text: str) -> Match:
        """Recognise the intent of a text.

        Args:
            text: Any string, even an empty or hostile one.

        Returns:
            The match; its ``intent`` is None when no intent is near enough.

        Raises:
            TypeError: ``text`` is not a string.
        """
        return self._bot.match(text)

    def match_batch(self, texts: Iterable[str]) -> list[Match]:
        """Recognise the intents of several texts, faster per text than :meth:`match`.

        All texts are matched against the templates as they are when the call begins. Texts are
        read, encoded and searched in blocks, so memory does not grow with their number.

        Args:
            texts: Any strings.

        Returns:
            The match of each text. Intents, templates and reasons are those of :meth:`match`;
            scores are equal up to rounding, which depends on the size of the block.

        Raises:
            TypeError: A text is not a string, or ``texts`` is a single string.
        """
        if isinstance(texts, str):
            raise TypeError("match_batch takes a list of texts; match takes one text")
        return self._bot.match_batch(texts)

    def rank(self, text: str, limit: int = 5) -> list[Candidate]:
        """Rank the intents of a text, without regard to thresholds.

        Args:
            text: Any string.
            limit: Maximum number of candidates.

        Returns:
            Candidates in descending order of score; an empty list if the encoder knows nothing in
            the text.

        Raises:
            TypeError: ``text`` is not a string.
            PocketIntentError: ``limit`` is not a whole number from 1.
        """
        check_count("limit", limit)
        return self._bot.rank(text, limit)

    def read(self, text: str) -> str:
        """Return the text as the recogniser reads it, with typing errors corrected.

        Args:
            text: Any string.

        Returns:
            The text itself if nothing is corrected; otherwise its tokens, separated by spaces.

        Raises:
            TypeError: ``text`` is not a string.
        """
        return self._bot.read(text)

    def explain(self, text: str, intent: str | None = None) -> Explanation:
        """Match a text and show how much each of its words contributes to a score.

        Args:
            text: Any string.
            intent: The intent whose score is explained, for example to see why it was not chosen;
                None for the nearest.

        Returns:
            The match; the intent that is explained; the share of each word, which is how much lower
            the intent's score is without it; and the counter-example that refuses the text, if any.

        Raises:
            TypeError: ``text`` is not a string.
            PocketIntentError: There is no such intent, or the model knows no word of its templates.
        """
        from pocketintent.runtime.decision.explain import explain_text

        bot = self._bot
        if intent is not None and intent not in bot.indexed.names:
            raise PocketIntentError(
                f"no intent {intent!r} can be explained; known: {list_names(bot.indexed.names)}"
            )
        return explain_text(bot, text, intent)
