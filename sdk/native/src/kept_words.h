/* Negations and contractions, which are never corrected, and the negations of English.
 * Made by tools/generate_tables.py; do not edit. */

#ifndef PINTENT_KEPT_WORDS_H
#define PINTENT_KEPT_WORDS_H

#define PI_NUM_KEPT_WORDS 98

static const char *const pi_kept_words[PI_NUM_KEPT_WORDS] = {
  "ain", "aint", "aren", "arent", "can", "cannot", "cant", "cmon", "couldn", "couldnt", "couldve",
  "daren", "darent", "didn", "didnt", "doesn", "doesnt", "don", "dont", "hadn", "hadnt", "hasn",
  "hasnt", "haven", "havent", "hed", "heres", "hes", "hows", "isn", "isnt", "itd", "itll", "ive",
  "lets", "mightn", "mightnt", "mightve", "mustn", "mustnt", "mustve", "needn", "neednt", "neither",
  "never", "nor", "not", "oughtn", "oughtnt", "shan", "shant", "shed", "shell", "shes", "shouldn",
  "shouldnt", "shouldve", "thatd", "thatll", "thats", "thered", "therell", "theres", "theyd",
  "theyll", "theyre", "theyve", "twas", "wasn", "wasnt", "wed", "well", "were", "weren", "werent",
  "weve", "whatd", "whatll", "whatre", "whats", "whens", "wheres", "whod", "wholl", "whos", "whove",
  "whys", "without", "won", "wont", "wouldn", "wouldnt", "wouldve", "yall", "youd", "youll",
  "youre", "youve",
};

#define PI_NUM_NEGATIONS 26

static const char *const pi_negations[PI_NUM_NEGATIONS] = {
  "'t", "aint", "arent", "cannot", "cant", "couldnt", "didnt", "doesnt", "dont", "hadnt", "hasnt",
  "havent", "isnt", "mustnt", "neednt", "neither", "never", "no", "nor", "not", "shouldnt", "wasnt",
  "werent", "without", "wont", "wouldnt",
};

#endif
